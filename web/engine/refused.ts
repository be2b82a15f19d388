// What the rules, the engine or the server refuse, with a sentence for people.
export class Refused extends Error {
  constructor(
    message: string,
    readonly status = 0,
  ) {
    super(message);
  }
}
export class Cancelled extends Error {}
export class Lost extends Error {} // the server does not answer
export class Unloaded extends Error {} // a part of the page that could not be fetched

// A line of short texts parted by dots, such as keys and what they do: it breaks between them only.
export const Pieces = ({ text }: { text: string }) => <>{text.split(/(?<=[·・])/).map((p) => <span key={p} class="nowrap">{p.trim()} </span>)}</>;

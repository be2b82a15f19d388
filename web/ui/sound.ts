// Short tones made on the spot, off unless asked for.
import { settings } from './settings';

let audio: AudioContext | null = null;

function tone(hertz: number, seconds: number, volume: number, kind: OscillatorType = 'sine'): void {
  if (!settings.value.sound) return;
  audio ??= new AudioContext();
  const o = audio.createOscillator();
  const g = audio.createGain();
  o.type = kind;
  o.frequency.value = hertz;
  g.gain.setValueAtTime(volume, audio.currentTime);
  g.gain.exponentialRampToValueAtTime(0.0001, audio.currentTime + seconds);
  o.connect(g).connect(audio.destination);
  o.start();
  o.stop(audio.currentTime + seconds);
}

export const sound = {
  place: () => tone(420, 0.08, 0.12, 'triangle'),
  link: (n: number) => tone(330 * 2 ** (Math.min(n, 16) / 12), 0.18, 0.12),
  refuse: () => tone(150, 0.15, 0.1, 'square'),
};

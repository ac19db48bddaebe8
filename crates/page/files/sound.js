// A short sound for a move, made by the browser.

let context = null;

export function knock() {
  context ??= new AudioContext();
  const now = context.currentTime;
  const [tone, loudness] = [context.createOscillator(), context.createGain()];
  tone.type = "triangle";
  tone.frequency.setValueAtTime(320, now);
  tone.frequency.exponentialRampToValueAtTime(140, now + 0.06);
  loudness.gain.setValueAtTime(0.25, now);
  loudness.gain.exponentialRampToValueAtTime(0.001, now + 0.09);
  tone.connect(loudness).connect(context.destination);
  tone.start(now);
  tone.stop(now + 0.1);
}

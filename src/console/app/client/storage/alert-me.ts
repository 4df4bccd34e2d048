import { signal } from '@preact/signals';

import { store, stored } from './stored.ts';

/** How this browser calls for attention when an alarm fires. */
type AlertMe = { sound: boolean; notification: boolean };

const NAME = 'svc-alert-me';

const storedWays = (): AlertMe => {
  const words = (stored(NAME) ?? '').split(' ');
  return { sound: words.includes('sound'), notification: words.includes('notification') };
};

export const alertMe = signal<AlertMe>(storedWays());

/** Holds at once; false where the browser cannot store it, so that it ends with the page. */
export function setAlertMe(change: Partial<AlertMe>): boolean {
  alertMe.value = { ...alertMe.value, ...change };
  const on = Object.entries(alertMe.value).flatMap(([way, isOn]) => (isOn ? [way] : []));
  return store(NAME, on.join(' '));
}

/** Turns notifications on if the person lets this site show them; as `setAlertMe`. */
export async function askToNotify(): Promise<boolean> {
  if (!('Notification' in globalThis)) return true;
  const isGranted = (await Notification.requestPermission()) === 'granted';
  return setAlertMe({ notification: isGranted });
}

type Level = 'P0' | 'P1' | 'P2' | 'P3';

/** Tones of a level, Hz: the more urgent, the more and the higher. */
const TONES: Readonly<Record<Level, readonly number[]>> = {
  P0: [880, 1175, 880, 1175],
  P1: [740, 988],
  P2: [587],
  P3: [440],
};
const TONE_S = 0.18;
const PAUSE_S = 0.08;
const LOUDNESS = 0.2;

let audio: AudioContext | null = null;

/** Plays the tones of a level; a browser that was not touched yet plays none. */
export function play(level: Level): void {
  audio ??= new AudioContext();
  void audio.resume();
  for (const [index, frequency] of TONES[level].entries()) {
    const begin = audio.currentTime + index * (TONE_S + PAUSE_S);
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(LOUDNESS, begin);
    volume.gain.exponentialRampToValueAtTime(0.001, begin + TONE_S);
    tone.connect(volume).connect(audio.destination);
    tone.start(begin);
    tone.stop(begin + TONE_S);
  }
}

/** Shows a notification of the computer; `pressed` is called when it is pressed. Where it cannot, it shows none. */
export function notify(title: string, body: string, tag: string, pressed: () => void): void {
  try {
    const shown = new Notification(title, { body, tag });
    shown.addEventListener('click', () => {
      focus();
      pressed();
      shown.close();
    });
  } catch {
    // Browsers of phones take them from a service worker alone.
    setAlertMe({ notification: false });
  }
}

import { isRepetition } from '../../core/secret/repetition.ts';
import { COMMON_PASSWORDS } from './common-passwords.ts';

/** What most passwords are made of that are not on any list: one of these, with digits and signs around it. */
const COMMON_WORDS =
  `password passwort passwd motdepasse contrasena parola senha kennwort geheim secret
  admin administrator root user guest operator manager supervisor system service test demo default login
  welcome willkommen hello letmein changeme iloveyou dragon monkey master shadow princess football baseball
  spring summer autumn winter fruehling sommer herbst january february march april june july august
  september october november december januar februar maerz juni juli oktober dezember
  monday tuesday wednesday thursday friday saturday sunday qwerty qwertz azerty
  devicedataplatform deviceplatform device platform scada plant sensor svc dc3 iotdc3`.split(/\s+/);

/** Rows of keyboards, the alphabet and the digits, each also backwards. */
const LINES = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop',
  'qwertzuiop',
  'asdfghjkl',
  'zxcvbnm',
  'yxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  'qazwsxedcrfvtgbyhnujm',
].flatMap((line) => [line, line.split('').toReversed().join('')]);

const MIN_KINDS = 4;
const MIN_RUN = 4;
/** Characters that a password has to have beside its runs, words and names. */
const MIN_OWN = 4;
const MIN_NAME = 3;

const LEET = new Map(
  Object.entries({
    '@': 'a',
    '4': 'a',
    '3': 'e',
    '1': 'i',
    '!': 'i',
    '0': 'o',
    $: 's',
    '5': 's',
    '7': 't',
  }),
);

/**
 * Why a password is one of those that are tried first; null when none of the reasons known here applies. `names`
 * are those of the account: its login, its tenant.
 */
export function whyGuessable(password: string, names: readonly string[]): string | null {
  const lower = password.normalize('NFKC').toLowerCase();
  if (lower.trim() === '') return 'is blank';
  if (COMMON_PASSWORDS.has(lower)) return 'is among the most common ones';
  if (new Set(lower).size < MIN_KINDS || isRepetition(lower)) return 'repeats few characters';
  if (withoutRuns(lower).length < MIN_OWN) return 'is a run of keys, letters or digits';
  // `P@ssw0rd` in `P@ssw0rd2026!` is a word: what stands around it is not read as letters.
  const spelt = lower.replace(/^[^a-z]+|[^a-z]+$/g, '');
  const readings = [lower, spelt.replaceAll(/./gu, (sign) => LEET.get(sign) ?? sign)];
  const known = names.map(lettersOf).filter((name) => name.length >= MIN_NAME);
  if (readings.some((reading) => isMadeOf(reading, known)))
    return 'is made of the name of the login or the tenant';
  if (readings.some((reading) => isMadeOf(reading, [...known, ...COMMON_WORDS])))
    return 'is a common word with little beside it';
  return null;
}

function withoutRuns(text: string): string {
  let rest = '';
  for (let at = 0; at < text.length;) {
    const length = runAt(text, at);
    if (length < MIN_RUN) rest += text[at];
    at += length < MIN_RUN ? 1 : length;
  }
  return rest;
}

/** Characters from `at` on that lie side by side in one of the lines. */
function runAt(text: string, at: number): number {
  let longest = 1;
  for (const line of LINES) {
    const rest = line.slice(line.indexOf(text[at] ?? '')).split('');
    const other = rest.findIndex((sign, beside) => sign !== text[at + beside]);
    const length = line.includes(text[at] ?? '') ? (other < 0 ? rest.length : other) : 1;
    longest = Math.max(longest, length);
  }
  return longest;
}

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}]/gu, '');

/** Whether one of the words is in it, and fewer than four letters are left without them. */
function isMadeOf(text: string, words: readonly string[]): boolean {
  const letters = lettersOf(text);
  let rest = letters;
  // The longest first: `administrator` is not `admin` with letters of its own.
  for (const word of words.toSorted((one, other) => other.length - one.length))
    rest = rest.replaceAll(word, '');
  return rest.length < letters.length && rest.length < MIN_OWN;
}

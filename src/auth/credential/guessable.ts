import { isRepetition } from '../../kernel/secret.ts';

/** The most common passwords of at least eight characters, in lower case; shorter ones are refused anyway. */
const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `12345678 123456789 1234567890 12345678910 0123456789 9876543210 987654321 87654321 123123123
  11111111 00000000 88888888 99999999 12341234 11223344 112233445566 121212121 1q2w3e4r 1q2w3e4r5t
  1qaz2wsx 1qaz2wsx3edc qazwsxedc qwertyui qwertyuiop qwerty123 qwerty12 qwerty1234 qwer1234
  asdfghjk asdfghjkl asdf1234 zxcvbnm1 zaq12wsx password password1 password12 password123
  password1234 passw0rd p@ssw0rd p@ssword pa55word passwort passwort1 motdepasse contraseña
  administrator admin123 admin1234 admin12345 admin123456 adminadmin administrador root1234
  rootroot toor1234 changeme changeme1 changeme123 change_me default1 letmein1 letmein123 welcome1
  welcome123 welcome1234 iloveyou iloveyou1 sunshine princess football baseball basketball superman
  batman123 starwars michelle jennifer computer internet whatever trustno1 dragon123 monkey123
  shadow123 master123 abc12345 abcd1234 abc123456 a1b2c3d4 aa123456 aa12345678 test1234 test12345
  testtest testing123 guest1234 user1234 demo1234 secret123 secretsecret mustang1 access14 corvette
  maverick samantha victoria liverpool chelsea1 arsenal1 charlie1 hello123 hellohello freedom1
  security security1 system123 manager1 operator operator1 supervisor raspberry dc3dc3dc3
  google123 facebook linkedin q1w2e3r4 q1w2e3r4t5 !qaz2wsx 1234qwer 1234abcd 123qweasd 147258369
  159753456 741852963 789456123 789456123a 123456789a 123456a1 123456abc woaini1314 5201314520`
    .split(/\s+/)
    .filter(Boolean),
);

/** What most passwords are made of that are not on any list: one of these, with digits and signs around it. */
const COMMON_WORDS =
  `password passwort passwd motdepasse contrasena parola senha kennwort geheim secret
  admin administrator root user guest operator manager supervisor system service install installer test demo default login
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
/** Letters of a word that is looked for behind signs and digits. */
const MIN_DISGUISED = 4;

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
const LEET_WITH_L = new Map([...LEET, ['1', 'l'], ['!', 'l']]);

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
  const readings = [new Map<string, string>(), LEET, LEET_WITH_L].map((as) => readingOf(lower, as));
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

/** The letters of a text, some of which are signs or digits; `own` has a space in place of each of these. */
type Reading = { read: string; own: string };

function readingOf(text: string, as: ReadonlyMap<string, string>): Reading {
  const signs = Array.from(text).filter((sign) => lettersOf(as.get(sign) ?? sign) !== '');
  return {
    read: signs.map((sign) => as.get(sign) ?? sign).join(''),
    own: signs.map((sign) => (as.has(sign) ? ' ' : sign)).join(''),
  };
}

/**
 * Whether one of the words is in it, and fewer than four letters are left without them. Signs and digits beside a word are
 * no letters: `$ummer2026` is a word, and so is `P@ssw0rd2026!`.
 */
function isMadeOf({ read, own }: Reading, words: readonly string[]): boolean {
  let rest = { read, own };
  // The longest first: `administrator` is not `admin` with letters of its own.
  for (const word of words.toSorted((one, other) => other.length - one.length))
    rest = without(rest, word);
  return rest.read.length < read.length && lettersOf(rest.own).length < MIN_OWN;
}

/** Digits and signs alone are no word: `7357` is a number. Short words come about by chance where signs count as letters. */
function without({ read, own }: Reading, word: string): Reading {
  const rest = { read: '', own: '' };
  let at = 0;
  for (let found; (found = read.indexOf(word, at)) >= 0;) {
    const end = found + word.length;
    const letters = lettersOf(own.slice(found, end)).length;
    const isWord = letters === word.length || (letters > 0 && word.length >= MIN_DISGUISED);
    rest.read += read.slice(at, isWord ? found : end);
    rest.own += own.slice(at, isWord ? found : end);
    at = end;
  }
  return { read: rest.read + read.slice(at), own: rest.own + own.slice(at) };
}

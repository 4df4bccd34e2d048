import { seeded } from '../../world/seeded.ts';

/** Nouns and quantities as five plants write them. */
const SCRIPTS = [
  [
    'Kältekammer',
    'Pumpe',
    'Wechselrichter',
    'Heizventil',
    'Stromzähler',
    'Lufttemperatur',
    'Drehzahl',
    'Leistung',
    'Sollwert',
    'Energie',
  ],
  ['冷库', '水泵', '逆变器', '阀门', '电表', '空气温度', '转速', '功率', '设定值', '电量'],
  [
    'Камера',
    'Насос',
    'Инвертор',
    'Клапан',
    'Счётчик',
    'Температура',
    'Обороты',
    'Мощность',
    'Уставка',
    'Энергия',
  ],
  [
    'Ψυγείο',
    'Αντλία',
    'Μετατροπέας',
    'Βαλβίδα',
    'Μετρητής',
    'Θερμοκρασία',
    'Στροφές',
    'Ισχύς',
    'Ρύθμιση',
    'Ενέργεια',
  ],
  [
    '冷凍庫',
    'ポンプ',
    'インバータ',
    'バルブ',
    '電力計',
    '室温',
    '回転数',
    '出力',
    '設定温度',
    '積算電力量',
  ],
] as const;

/** None is UTC; one has 45 minutes, one half an hour, and most change in summer. */
const ZONES = [
  'Europe/Berlin',
  'Asia/Kathmandu',
  'America/St_Johns',
  'Pacific/Auckland',
  'America/Chicago',
  'Asia/Tokyo',
] as const;

const KINDS = ['room', 'pump', 'inverter', 'valve', 'meter'] as const;
export type KindOfDevice = (typeof KINDS)[number];
export const COUNTS: Record<KindOfDevice, number> = {
  room: 6,
  pump: 6,
  inverter: 4,
  valve: 6,
  meter: 5,
};

/** Of a number a plant by chance, of `A` always the same one. */
export type Seed = number | 'A';
export type Chance = ReturnType<typeof byChance>;

/** What people write for revolutions per minute. */
const SPELLED_RPM = ['rpm', 'RPM', '1/min', 'r/min', 'U/min'] as const;

export const chanceOf = (seed: Seed): Chance => (seed === 'A' ? plantA() : byChance(seed));

/** What a plant is: names in five scripts, its zone, and what goes wrong where and when. */
function byChance(seed: number) {
  const random = seeded(seed);
  const int = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1));
  const scripts = [...SCRIPTS];
  const words = KINDS.map((kind, index) => {
    const [script = SCRIPTS[0]] = scripts.splice(int(0, scripts.length - 1), 1);
    return [kind, { device: script[index] ?? '', point: script[index + 5] ?? '' }] as const;
  });
  const word = new Map<KindOfDevice, { device: string; point: string }>(words);
  return {
    random,
    zone: ZONES[int(0, ZONES.length - 1)] ?? ZONES[0],
    device: (kind: KindOfDevice, n: number): string => `${word.get(kind)?.device ?? ''} ${n}`,
    point: (kind: KindOfDevice): string => word.get(kind)?.point ?? '',
    /** As a person says it. */
    named(kind: KindOfDevice, n: number): string {
      return `${word.get(kind)?.device ?? ''} ${n} ${word.get(kind)?.point ?? ''}`;
    },
    spike: { room: int(1, 5), at: int(100, 200), peak: int(20, 40) },
    gap: { inverter: int(1, 4), from: int(60, 150), steps: int(40, 60) },
    stoppedPump: int(1, 6),
    /** Of the half hours of a meter, the first of a new one. */
    reset: { meter: int(1, 5), at: int(30, 100) },
    faster: { pump: int(1, 6), by: int(50, 150) },
    setPoints: [int(41, 45), int(46, 50), int(51, 55)] as const,
    /** A table brings the values of these but for the newest, which all have of their drivers. */
    imported: KINDS[int(0, 2 * KINDS.length)] ?? null,
    rpm: SPELLED_RPM[int(0, SPELLED_RPM.length - 1)] ?? SPELLED_RPM[0],
    startsAt: startsAt(),
  };
}

/** The time of the plant at its start; null: now. */
const startsAt = (text?: string): number | null =>
  text === undefined ? null : Temporal.Instant.from(text).epochMilliseconds;

const NAMES_OF_A: Record<KindOfDevice, { devices: readonly string[]; point: string }> = {
  room: {
    devices: [
      'Kältekammer 1',
      'Kältekammer 2',
      'Kältekammer 12',
      'Kammer unten Nord',
      'Kammer unter Rampe',
      'Büro West',
    ],
    point: 'Lufttemperatur',
  },
  pump: { devices: numbered('冷却泵', 6), point: '转速' },
  inverter: { devices: numbered('Инвертор', 4), point: 'Мощность' },
  valve: { devices: [...numbered('Βαλβίδα', 4), 'Torheizung 1', 'Torheizung 2'], point: 'Ρύθμιση' },
  meter: { devices: numbered('電力計', 5), point: '積算電力量' },
};

function numbered(noun: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${noun} ${n + 1}`);
}

/**
 * A cold store on the day after the clocks went back: names that differ in a letter or a digit, a counter that fell,
 * and counters whose past came as a table.
 */
function plantA(): Chance {
  const names = NAMES_OF_A;
  const device = (kind: KindOfDevice, n: number): string => names[kind].devices[n - 1] ?? '';
  return {
    random: seeded(27),
    zone: 'Europe/Berlin',
    device,
    point: (kind) => names[kind].point,
    named: (kind, n) => `${device(kind, n)} ${names[kind].point}`,
    spike: { room: 4, at: 150, peak: 24 },
    gap: { inverter: 2, from: 90, steps: 50 },
    stoppedPump: 3,
    reset: { meter: 2, at: 60 },
    faster: { pump: 5, by: 100 },
    setPoints: [43, 48, 53],
    imported: 'meter',
    rpm: 'U/min',
    startsAt: startsAt('2026-10-26T12:34+01:00'),
  };
}

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

export type Chance = ReturnType<typeof chanceOf>;

/** What a plant is by chance: names in five scripts, its zone, and what goes wrong where and when. */
export function chanceOf(seed: number) {
  const random = seeded(seed);
  const int = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1));
  const scripts = [...SCRIPTS];
  const words = KINDS.map((kind, index) => {
    const [script = SCRIPTS[0]] = scripts.splice(int(0, scripts.length - 1), 1);
    return [kind, { device: script[index] ?? '', point: script[index + 5] ?? '' }] as const;
  });
  const word = new Map<KindOfDevice, { device: string; point: string }>(words);
  return {
    seed,
    random,
    int,
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
  };
}

import { z } from 'zod';

import { unwrapped } from '../../../../src/kernel/input/absent.ts';
import { toolNamed } from '../../../tools/agent.ts';
import type { Random } from '../../hostile/random.ts';
import type { Call } from './calls.ts';
import { CODES, type Plant } from './plant.ts';
import {
  lengthSpellings,
  pickOf,
  timeSpellings,
  unitSpellings,
  valueSpellings,
} from './spell-time.ts';

/** What models do to one field, or to all of them; null where it does not apply. */
type Way = (random: Random, call: Call, plant: Plant) => Call['args'] | null;

/** A time that is not spelled otherwise yet. */
const AS_MEANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d\+02:00$/;
const PAST = ['from', 'to', 'since', 'until'];
const TIMES = [...PAST, 'begin', 'end', 'at'];
const NAMES = ['ruleName', 'maintenanceName', 'deviceName'];
const TEXTS = [...NAMES, 'reason', 'query', 'point', 'hold', 'operator'];
const NUMBERS = ['hours', 'days', 'limit', 'maxTokens', 'rows', 'waitS', 'olderThanS', 'threshold'];
const LENGTHS = ['hours', 'days', 'waitS', 'olderThanS'];
const isRef = (key: string): boolean => /Ids?$|^(?:device|group|label)$/.test(key);

const shapeOf = ({ tool }: Call): z.ZodRawShape => {
  const { input } = toolNamed(tool);
  return input instanceof z.ZodObject ? input.shape : {};
};
const optionalOf = (call: Call): [string, z.ZodType][] =>
  Object.entries(shapeOf(call)).flatMap(([key, field]) =>
    !(key in call.args) && field instanceof z.ZodType && field.safeParse(undefined).success
      ? [[key, field] as [string, z.ZodType]]
      : [],
  );

/** Applies a spelling to one of the fields that have any. */
const field =
  (spell: (random: Random, key: string, value: unknown, plant: Plant) => unknown): Way =>
  (random, { args }, plant) => {
    const spelled = Object.entries(args).flatMap(([key, value]) => {
      const other = spell(random, key, value, plant);
      return other === undefined ? [] : [[key, other] as const];
    });
    const chosen = pickOf(random, spelled);
    return chosen ? { ...args, [chosen[0]]: chosen[1] } : null;
  };

const keys =
  (rename: (key: string) => string): Way =>
  (_random, { args }) =>
    Object.fromEntries(Object.entries(args).map(([key, value]) => [rename(key), value]));

const absent =
  (nothing: unknown, takes: (type: unknown) => boolean = () => true): Way =>
  (_random, call) => {
    const empty = optionalOf(call).filter(([, type]) => takes(unwrapped(type)));
    return empty.length === 0
      ? null
      : { ...call.args, ...Object.fromEntries(empty.map(([key]) => [key, nothing])) };
  };

const isText = (type: unknown): boolean => type instanceof z.ZodString;
/** Texts for people, which stay as they are given. */
const quote = (random: Random, text: string): string =>
  random.pick([`"${text}"`, `'${text}'`, ` ${text} `, `\`${text}\``]);

/** A name in place of the id of one of the plant's things. */
function nameOf(random: Random, key: string, value: unknown, { place, ids }: Plant): unknown {
  if (key.startsWith('group') && value === ids.groupId)
    return random.pick(['Cold store', 'cold store', 'COLD STORE']);
  if (key === 'profileId' && value === ids.profileId) return random.pick(['chamber', 'Chamber']);
  const devices = ['Kältekammer 1', 'Kältekammer 2', 'Feed pump 1'];
  const name = devices.find(
    (device) => place(device, device.startsWith('K') ? 'air set-point' : 'flow').deviceId === value,
  );
  const code = CODES[name ?? ''] ?? '';
  return name === undefined || !key.startsWith('device')
    ? undefined
    : random.pick([
        name,
        name.toLowerCase(),
        name.toUpperCase(),
        name.replace(' ', '_'),
        name.replace(' ', '-'),
        name.replaceAll('ä', 'ae'),
        code,
        code.toLowerCase(),
        code.replaceAll(/\W/g, ' '),
      ]);
}

export const ways: Readonly<Record<string, Way>> = {
  'null for what is left out': absent(null),
  '"" for what is left out': absent('', (type) => !isText(type)),
  '"null" for what is left out': absent('null'),
  '"None" for what is left out': absent('None'),
  '["null"] for what is left out': absent(['null'], (type) => type instanceof z.ZodArray),
  'numbers as texts': field((random, _key, value) =>
    typeof value === 'number' && NUMBERS.includes(_key)
      ? random.pick([
          String(value),
          `${value}.0`.replace(/(\.\d+)\.0/, '$1'),
          ` ${value}`,
          `"${value}"`,
        ])
      : undefined,
  ),
  'booleans as texts': field((random, key, value) =>
    typeof value === 'boolean' && key !== 'value'
      ? random.pick(
          value ? ['true', 'True', 'TRUE', 'yes', 1, '1'] : ['false', 'False', 'no', 0, '0'],
        )
      : undefined,
  ),
  'lists as texts': field((random, _key, value) =>
    Array.isArray(value)
      ? random.pick([
          JSON.stringify(value),
          JSON.stringify(value, null, 2),
          `\`\`\`json\n${JSON.stringify(value)}\n\`\`\``,
          JSON.stringify(JSON.stringify(value)),
          ...(typeof value[0] === 'string' ? [`['${value.join("', '")}']`] : []),
        ])
      : undefined,
  ),
  'one for a list': field((_random, _key, value) =>
    Array.isArray(value) && value.length === 1 ? value[0] : undefined,
  ),
  'a list for one': field((random, key, value) =>
    isRef(key) && typeof value === 'string'
      ? random.pick([[value], JSON.stringify([value])])
      : undefined,
  ),
  'options in another spelling': field((random, key, value) => {
    if (
      typeof value !== 'string' ||
      // A list, or nothing, that was spelled already.
      /^[[{"`'\s]|^(?:null|None|)$/.test(value) ||
      isRef(key) ||
      [...TEXTS, ...TIMES, 'unit', 'value', 'every'].includes(key)
    )
      return undefined;
    const title = `${value.slice(0, 1).toUpperCase()}${value.slice(1).toLowerCase()}`;
    return random.pick([
      value.toLowerCase(),
      value.toUpperCase(),
      title,
      value.replaceAll(' ', '_'),
      quote(random, value),
    ]);
  }),
  'ids as numbers, with signs': field((random, key, value) =>
    isRef(key) && typeof value === 'string' && /^\d+$/.test(value)
      ? random.pick([Number(value), quote(random, value)])
      : undefined,
  ),
  'names for ids': field(nameOf),
  times: field((random, key, value) =>
    TIMES.includes(key) && AS_MEANT.test(String(value))
      ? random.pick(timeSpellings(String(value), PAST.includes(key)))
      : undefined,
  ),
  'lengths of time': field((random, key, value) =>
    LENGTHS.includes(key) && typeof value === 'number'
      ? pickOf(random, lengthSpellings(key, value))
      : undefined,
  ),
  'parts of a window': field((random, key, value) =>
    key === 'every' && typeof value === 'string' && value.length === 2
      ? random.pick(
          value === '1d'
            ? ['day', 'daily', '1 day', 'P1D', '1D', '24h']
            : ['hour', 'hourly', '1 hour', 'PT1H', '1H', '60m'],
        )
      : undefined,
  ),
  units: field((random, key, value) =>
    key === 'unit' ? pickOf(random, unitSpellings(String(value))) : undefined,
  ),
  'values of writes': (random, { args }) => {
    const spell = (value: unknown): unknown => random.pick(valueSpellings(value));
    if (Array.isArray(args['writes']))
      return {
        ...args,
        writes: args['writes'].map((one: { value: unknown }) => ({
          ...one,
          value: spell(one.value),
        })),
      };
    return 'value' in args ? { ...args, value: spell(args['value']) } : null;
  },
  snake_case: keys((key) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
  PascalCase: keys((key) => `${key.slice(0, 1).toUpperCase()}${key.slice(1)}`),
  'kebab-case': keys((key) => key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)),
  'a field without Id': keys((key) => key.replace(/Id$/, '')),
  'all in one object': (random, { args }) => ({
    [random.pick(['arguments', 'args', 'input', 'parameters'])]: random.pick([
      args,
      JSON.stringify(args),
    ]),
  }),
};

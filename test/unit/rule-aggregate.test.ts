import { describe, expect, it } from 'vitest';

import {
  comparedOf,
  comparedIn,
  rememberedOf,
  withAll,
} from '../../src/alarm/condition/aggregate.ts';
import { Aggregate } from '../../src/alarm/kind/aggregate.ts';
import { Content } from '../../src/alarm/kind/rule-ext.ts';
import { senselessIn } from '../../src/alarm/validation/sense.ts';

const hot = { field: 'value', operator: '>', threshold: 80 };
const open = { field: 'value', operator: '==', expected: 'true' };
const entity = { entityId: '1', pointId: '1', deviceId: '5', driverId: '6' };
const factOf = { ...entity, pointType: 'STRING' as const, at: 0 };
const ruleOf = {
  id: '1',
  name: '',
  code: '',
  target: 'POINT' as const,
  entityId: '1',
  notifyId: '0',
  messageId: '0',
  since: 0,
};
type Value = number | string;

/** What devices with these values come to; null: one without a value that counts. */
function come(
  aggregate: object,
  condition: object,
  values: readonly (Value | null)[],
  type: 'DOUBLE' | 'BOOLEAN' | 'STRING' = 'DOUBLE',
) {
  const content = Content.parse({ condition });
  const devices = new Map(values.map((_, index) => [String(index), `Door ${index}`]));
  const given = { aggregate: Aggregate.parse(aggregate), condition: content.condition, type };
  const counted = values.flatMap((value, index) =>
    value === null
      ? []
      : [[String(index), { at: 0, seq: 0, until: 0, ...comparedIn(given, value) }] as const],
  );
  return comparedOf(given, counted, devices);
}

describe('devices that are judged together', () => {
  it.each<[string, (Value | null)[], number | null]>([
    ['MEAN', [1, 2, 6], 3],
    ['MIN', [4, 2, 6], 2],
    ['MAX', [4, 2, 6], 6],
    ['SUM', [0.1, 0.2, null], 0.3],
    ['COUNT', [4, null, 6], 2],
    ['MEAN', [null, null], null],
  ])('come to %s of %j', (of, values, value) => {
    expect(come({ function: of }, hot, values)['value']).toBe(value);
  });

  it.each<[object, (Value | null)[], boolean | null, Value | null]>([
    [{ function: 'ANY' }, [20, 90, 85], true, 90],
    [{ function: 'ANY', atLeast: 2 }, [20, 90, 85], true, 85],
    [{ function: 'ANY', atLeast: 3 }, [20, 90, 85], false, 20],
    [{ function: 'ANY', atLeast: 3 }, [90, 85, null], false, null],
    [{ function: 'ALL' }, [90, 85], true, 85],
    [{ function: 'ALL' }, [90, 20], false, 20],
    [{ function: 'ALL' }, [90, 85, null], null, 85],
    [{ function: 'ALL' }, [90, 20, null], false, 20],
    [{ function: 'ALL', minDevices: 2 }, [90, 85, null], true, 85],
    [{ function: 'ALL', minDevices: 2 }, [90, null, null], null, null],
    [{ function: 'NONE' }, [20, 30], true, 30],
    [{ function: 'NONE' }, [20, null], null, 20],
    [{ function: 'NONE' }, [90, null], false, 90],
    [{ function: 'ANY' }, [null, null], null, null],
  ])('match by %j of %j: %j, by the value %j', (aggregate, values, holds, value) => {
    expect(come(aggregate, hot, values)).toMatchObject({ holds, value });
  });

  it('are compared as their point is, and name at most ten that match', () => {
    const doors = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? 1 : 'true'));
    const found = come({ function: 'ALL' }, open, doors, 'BOOLEAN');
    expect(found).toMatchObject({ holds: true, matching: 12 });
    expect(found['named']).toContain('“Door 9” and 2 more');
  });

  it('are remembered by the begin of a text, and match by all of it', () => {
    const text = `${'x'.repeat(4_000)} open`;
    const contains = { field: 'value', operator: 'contains', expected: 'open' };
    const found = come({ function: 'ANY' }, contains, [text, 'shut'], 'STRING');
    expect(found).toMatchObject({ holds: true, matching: 1, value: text.slice(0, 64) });
    const rule = (aggregate: object) => ({
      ...ruleOf,
      content: Content.parse({ condition: contains, aggregate }),
    });
    const fact = { ...factOf, values: { value: text } };
    for (const aggregate of [{ function: 'ANY' }, { function: 'COUNT' }]) {
      const remembered = JSON.stringify(rememberedOf(rule(aggregate), [fact]));
      expect(remembered.length).toBeLessThan(200);
    }
  });

  it('are of three groups at most that are named', () => {
    const content = Content.parse({ condition: hot, aggregate: { function: 'ANY' } });
    const groupNames = ['Hall 1', 'Hall 2', 'Hall 3', 'Hall 4', 'Hall 5'];
    const rule = { ...ruleOf, content, groupNames, devices: new Map([['5', 'Door']]) };
    const fact = { ...factOf, member: '5', values: { value: 90 } };
    const state = { memory: {}, lastFactTime: null, lastFactSeq: '0' };
    const found = withAll({ rule, fact, now: 0 }, state);
    expect(found?.fact.values['groups']).toBe('“Hall 1”, “Hall 2”, “Hall 3” and 2 more');
  });

  it('have no limits of their own, and no numbers of a text', () => {
    const wrongIn = (content: object, type: 'DOUBLE' | 'STRING' = 'DOUBLE') => {
      const devices = { groupIds: ['7'] };
      const whole = Content.parse({ devices, aggregate: { function: 'MEAN' }, ...content });
      return senselessIn(whole, { target: 'POINT', type })?.why;
    };
    const condition = { ...hot, attribute: 'limit' };
    expect(wrongIn({ condition })).toContain('leave attribute out');
    expect(wrongIn({ condition: hot }, 'STRING')).toContain('has no MEAN');
    expect(wrongIn({ condition: hot })).toBeUndefined();
  });
});

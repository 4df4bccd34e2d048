import { describe, expect, it } from 'vitest';

import { Name } from '../../src/kernel/input/text.ts';
import { isFree, NAME_WORDS } from '../../src/kernel/sentence/free-text.ts';
import { objectOf } from '../../src/manager/object/objects.ts';
import { pointFor } from '../../src/manager/registration/proposed-point.ts';
import { isSuggested, reportedIn } from '../../src/manager/registration/reported.ts';

const IDS = [1, 3, 4, 5, 6, 7, 9, 3200, 3201, 3202, 3203, 3306, 3308];
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);
const all = [...IDS, ...range(3300, 3305), ...range(3310, 3350)];

describe('the public object registry', () => {
  it.each<[string, number, number, object]>([
    ['Temperature', 3303, 5700, { name: 'Sensor Value', operations: 'R', type: 'FLOAT' }],
    ['Set Point', 3308, 5900, { name: 'Set Point Value', operations: 'RW', type: 'FLOAT' }],
    ['Device', 3, 4, { name: 'Reboot', operations: 'E', type: 'NONE' }],
    ['Device', 3, 9, { name: 'Battery Level', unit: '%', range: [0, 100] }],
    ['Location', 6, 0, { name: 'Latitude', unit: '°', isMandatory: true }],
    ['Power Measurement', 3305, 5805, { unit: 'Wh', isMandatory: false }],
    ['Firmware Update', 5, 0, { operations: 'W', type: 'OPAQUE' }],
    ['Connectivity Monitoring', 4, 4, { isMultiple: true }],
  ])('knows of %s (%i) the resource %i', (name, objectId, id, resource) => {
    const known = objectOf(objectId);
    expect(known?.name).toBe(name);
    expect(known?.resources.find((one) => one.id === id)).toMatchObject(resource);
  });

  it.each(all)(
    'has each resource of %i once, and points for them with names of their own',
    (id) => {
      const resources = objectOf(id)?.resources ?? [];
      expect(resources.length).toBeGreaterThan(0);
      expect(new Set(resources.map((one) => one.id)).size).toBe(resources.length);
      const [instance] = reportedIn(`${id}/65534`).instances;
      const points = instance?.resources.map((one) => pointFor(instance, one)) ?? [];
      expect(new Set(points.map(({ pointName }) => pointName)).size).toBe(points.length);
      for (const { pointName } of points) {
        expect(Name.safeParse(pointName).success).toBe(true);
        // Agents may read it: a name that looks like a sentence would taint what they propose.
        expect([pointName, isFree(pointName, NAME_WORDS)]).toEqual([pointName, false]);
      }
    },
  );

  it('says nothing of an object that is not in it', () => {
    expect(objectOf(33_000)).toBeNull();
  });

  it('suggests what an instance must have, and what the device named itself', () => {
    const suggested = reportedIn('3/0 3303/0 3303/1/5601').instances.flatMap((instance) =>
      instance.resources
        .filter((one) => isSuggested(instance, one))
        .map((one) => pointFor(instance, one).path),
    );
    expect(suggested).toEqual(['/3303/0/5700', '/3303/1/5700', '/3303/1/5601']);
  });
});

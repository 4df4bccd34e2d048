import type { RuleContent } from '../../alarm/kind/rule-ext.ts';

/** A rule of the plant, on one point of the profile, and the device of which the story tells. */
export type PlantRule = {
  ruleName: string;
  ruleCode: string;
  deviceName: string;
  pointName: string;
  content: RuleContent;
  /** Closes its alarm by itself once that has recovered. */
  autoConfirm?: true;
  /** How long after it fired the story has it confirmed (ms). */
  confirmedAfter?: number;
};

const recovery = { enabled: true } as const;
const window = { mode: 'LAST', duration: 'PT10M' } as const;

/** With the week of `past-week.ts` each leaves one alarm, each in another state. */
export const plantRules: readonly PlantRule[] = [
  {
    // Fired and recovered with the spike; nobody has confirmed it yet.
    ruleName: 'Boiler pressure high',
    ruleCode: 'demo-boiler-pressure-high',
    deviceName: 'Boiler 1',
    pointName: 'pressure',
    content: {
      condition: { field: 'value', operator: '>', threshold: 2.5, unit: 'bar' },
      window: { mode: 'LAST' },
      recovery,
      severity: 'P0',
    },
  },
  {
    // Goes on, and is confirmed.
    ruleName: 'Boiler pressure low',
    ruleCode: 'demo-boiler-pressure-low',
    deviceName: 'Boiler 2',
    pointName: 'pressure',
    content: {
      condition: { field: 'value', operator: '<', threshold: 1.2, unit: 'bar' },
      window,
      recovery: { enabled: true, operator: '>', threshold: 1.4 },
      severity: 'P2',
    },
    confirmedAfter: 40 * 60_000,
  },
  {
    // Goes on, and waits for somebody.
    ruleName: 'Pump vibration high',
    ruleCode: 'demo-pump-vibration-high',
    deviceName: 'Feed pump 2',
    pointName: 'vibration',
    content: {
      condition: { field: 'value', operator: '>', threshold: 7.1, unit: 'mm/s' },
      window,
      recovery: { enabled: true, operator: '<', threshold: 6.5 },
      severity: 'P1',
    },
  },
  {
    // Fired in the gap, recovered after it, and was closed by its policy.
    ruleName: 'Buffer tank silent',
    ruleCode: 'demo-buffer-tank-silent',
    deviceName: 'Buffer tank',
    pointName: 'level',
    content: {
      condition: { operator: 'nodata' },
      window: { mode: 'LAST', duration: 'PT30M' },
      recovery,
      severity: 'P2',
    },
    autoConfirm: true,
  },
];

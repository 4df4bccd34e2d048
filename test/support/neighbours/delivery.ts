import type { Delivery, Notice } from '../../../src/alarm/channel/delivery/channel.ts';

/** 32 bytes, as Standard Webhooks wants its secrets. */
export const webhookSecret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;

export const notice: Notice = {
  event: 'fired',
  tenantId: '1',
  alarmId: '2',
  ruleId: '3',
  ruleName: 'Too hot',
  level: 'P0',
  target: 'POINT',
  entityId: '4',
  deviceId: '5',
  deviceName: 'Boiler',
  pointId: '4',
  pointName: 'Temperature',
  message: 'Temperature is 91',
  occurTime: '2026-01-05T08:00:00.000Z',
};

/** A message to be delivered, with what a test is about put in place. */
export const delivery = (
  given: Pick<Delivery, 'target' | 'credential' | 'settings'> & Partial<Delivery>,
): Delivery => ({
  id: '4711',
  subject: 'P0 fired: Too hot',
  text: 'Boiler: temperature is 91 °C',
  notice,
  at: Date.parse('2026-01-05T08:00:01.500Z'),
  ...given,
});

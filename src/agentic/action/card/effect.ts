import type { CheckedWrite } from '../../../data/write/write-check.ts';
import { type Facts, settingFacts } from '../../../manager/entity/setting-facts.ts';

/** Facts of a checked write that decide its effect, as its card stores them. */
export const factsOf = ({ device, point, driver, settings }: CheckedWrite, key: Buffer): Facts => ({
  driver: `${driver.driverCode} (${driver.id})`,
  profile: device.profileId,
  type: point.pointTypeFlag,
  access: point.rwFlag,
  base: String(point.baseValue),
  multiple: String(point.multiple),
  decimals: String(point.valueDecimal),
  'lower limit': String(point.minValue ?? ''),
  'upper limit': String(point.maxValue ?? ''),
  ...settingFacts('device', settings.device, key),
  ...settingFacts('point', settings.point, key),
});

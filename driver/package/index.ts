// All that a driver outside of this repository imports: the package that `npm run pack:sdk` makes.
export type { Clock } from '../../src/kernel/clock.ts';
export type { Log } from '../../src/kernel/process/log.ts';
export {
  type Attribute,
  type Doubt,
  type Driver,
  type DriverCommand,
  type DriverDevice,
  type DriverEvent,
  DriverFailure,
  type DriverHost,
  type DriverPoint,
  type Happening,
  type Reading,
  type Report,
  type Trace,
} from '../sdk/driver.ts';
export { attribute } from '../sdk/attribute.ts';
export { shortest } from '../sdk/float.ts';
export { invalid, misconfigured, offline, refused, reportsOnly, silent } from '../sdk/failure.ts';
export type { PackageContext } from './context.ts';

import type { Payload } from '../../../src/bus/topic/topics.ts';
import type { Site } from '../../tools/agent.ts';
import type { Session } from '../people/session.ts';
import type { World } from '../world/app.ts';
import { eventually } from '../world/eventually.ts';
import { resultOf } from './command-result.ts';

type Command = Payload<'svc.e.point_command'>;
type Result = Payload<'svc.e.point_command_result'>;
type Register = Payload<'svc.e.driver_register'>;
type Value = Payload<'svc.e.value'>['values'][number];

export type PlayedDriver = Awaited<ReturnType<typeof playDriver>>;

/** The driver of `site` is the test itself: it decides what and when commands are answered. */
export async function playDriver(world: World, { tenantId }: Session, site: Site) {
  const { driverId, driverCode, deviceId, pointId } = site;
  const commands: Command[] = [];
  await world.app.bus.subscribe(
    'svc.e.point_command',
    { queue: `played-${driverCode}`, key: driverCode },
    async (command) => {
      commands.push(command);
    },
  );
  return {
    async command(commandId: string): Promise<Command> {
      const find = async () => commands.find((command) => command.commandId === commandId);
      const command = await eventually(find, (found) => found !== undefined);
      if (!command) throw new Error('the command did not reach its driver');
      return command;
    },
    declares: (given: Partial<Register>): Promise<void> =>
      world.bus.handled(
        'svc.e.driver_register',
        {
          driverCode,
          driverName: driverCode,
          driverType: 'DRIVER_CLIENT',
          serviceName: 'svc-driver-test',
          serviceHost: '',
          node: 'test',
          driverAttributes: [],
          pointAttributes: [],
          ...given,
        },
        driverCode,
      ),
    answer: (commandId: string, given: Partial<Result>): Promise<void> =>
      world.bus.handled(
        'svc.e.point_command_result',
        resultOf({ commandId, tenantId, finishedAt: world.clock.now(), ...given }),
        driverCode,
      ),
    says: (value: string, more: Partial<Value> = {}): Promise<void> =>
      world.bus.handled(
        'svc.e.value',
        {
          tenantId,
          driverId,
          driverCode,
          node: 'test',
          values: [
            {
              deviceId,
              pointId,
              rawValue: value,
              calValue: value,
              numValue: Number(value),
              originTime: world.clock.now(),
              seq: 0,
              quality: 0,
              ...more,
            },
          ],
        },
        driverCode,
      ),
  };
}

import type { Clock } from '../../../src/kernel/clock.ts';
import type { CoapResponse, RunningObservation } from '../../coap/contract.ts';
import { Code } from '../../coap/message/message.ts';
import { type DriverDevice, DriverFailure, type DriverPoint } from '../../sdk/driver.ts';
import { formatPath } from '../codec/path.ts';
import { resourceOf } from '../codec/resource.ts';
import type { Pack } from '../format/pack.ts';
import { fetchOf, MAX_PATHS, mayCompose, packOf } from '../operation/composite.ts';
import { failed, refused } from '../operation/request.ts';
import type { Registration } from '../registration/registration.ts';
import type { Lwm2mPorts } from '../security/ports.ts';
import { notificationAttributesOf } from './attributes.ts';
import { ASK_MS, setConditions } from './observe.ts';
import type { Watched } from './observed-point.ts';

/** How long a point that the device left out is not asked for alone: a later report may have it. */
const ABSENT_MS = 300_000;

/** Whether the points of a device are to come in one observation, where it takes that. */
export const isComposite = (
  { configs }: Pick<DriverDevice, 'configs'>,
  registration: Registration,
): boolean =>
  mayCompose(registration) && /^(?:true|1)$/i.test((configs['observeComposite'] ?? '').trim());

/** Those of the points that one observation can have; the others are asked for alone, which says what is wrong. */
export function composableOf(points: readonly DriverPoint[]): DriverPoint[] {
  return points.filter(isComposable).slice(0, MAX_PATHS);
}

function isComposable(point: DriverPoint): boolean {
  try {
    notificationAttributesOf(point);
    return !resourceOf(point).executable;
  } catch (error) {
    if (error instanceof DriverFailure) return false;
    throw error;
  }
}

/**
 * Asks a device to report several points in one observation, each on its conditions (OMA Core 1.1, 6.4.5:
 * Observe-Composite). A report has the values of all of them; a point that it leaves out is not reported. `report` gets
 * the first values and all later ones, for each point; `lost` is called when the device ends it. Throws
 * `DriverFailure`.
 */
export async function beginComposite({
  ports,
  clock,
  registration,
  members,
  report,
  lost,
}: {
  ports: Lwm2mPorts;
  clock: Clock;
  registration: Registration;
  members: readonly Watched[];
  report: (watched: Watched, response: CoapResponse, pack: Pack) => void;
  lost: () => void;
}): Promise<void> {
  for (const watched of members) await setConditions({ ports, clock, registration, watched });
  const names = new Set(members.map(({ point }) => formatPath(resourceOf(point).path)));
  const request = { ...fetchOf(registration, [...names]), deadline: clock.now() + ASK_MS };
  const take = (response: CoapResponse): void => {
    const pack = packOf(response);
    for (const watched of members) report(watched, response, pack);
  };
  const notified = (response: CoapResponse): void => {
    try {
      take(response);
    } catch (error) {
      if (!(error instanceof DriverFailure)) throw error;
      lost();
    }
    if (response.observe === null) lost();
  };
  const { response, running } = await ports
    .observe(registration.peer, request, notified)
    .catch((error: unknown) => {
      throw failed(error, 'FAILED');
    });
  if (running) share(running, members);
  if (response.code !== Code.CONTENT) throw refused(response.code);
  if (!running)
    throw new DriverFailure('NOT_OBSERVABLE', 'the device does not report several resources');
  take(response);
  for (const watched of members)
    if (watched.heardAt === null) watched.retryAt = clock.elapsed() + ABSENT_MS;
}

/** The observation ends with the last of the points that leaves it. */
function share(running: RunningObservation, members: readonly Watched[]): void {
  const left = new Set(members);
  for (const watched of members) {
    const isLast = (): boolean => left.delete(watched) && left.size === 0;
    watched.running = {
      end() {
        if (isLast()) running.end();
      },
      cancel: async () => (isLast() ? running.cancel() : true),
    };
  }
}

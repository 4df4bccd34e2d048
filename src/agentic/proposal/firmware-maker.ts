import { Forbidden, Unprocessable } from '../../kernel/errors.ts';
import { byName, quoted } from '../../kernel/sentence/voice.ts';
import { type Chosen, chosenDevices } from '../../manager/firmware/chosen-devices.ts';
import { packageFor, startIn } from '../../manager/firmware/start.ts';
import { type Target, targetsOf } from '../../manager/firmware/target.ts';
import { frameOf, NO_WRITE } from '../action/card/frame.ts';
import { leftOutWords } from '../action/card/words/firmware-words.ts';
import type { FirmwareCard, FirmwareNote, LeftOut } from '../action/kind/firmware-card.ts';
import type { Made, Making } from './kind.ts';

/** A card that a person can look through; a larger roll-out a person begins directly. */
const MAX_DEVICES = 500;
/** docs/specification/limits.md, Pending action: looking at a roll-out takes longer than at a value. */
const LIFE_MS = 86_400_000;
const MAX_NAMED = 10;

/** A roll-out as a caller asks for it. */
export type RolloutAsk = {
  packageId: string;
  byUri?: boolean | undefined;
  waveSize: number;
  failurePercent: number;
  minutes: number;
} & (Chosen | { card: FirmwareCard });

/**
 * Looks at package and devices and makes the card of a roll-out. Throws NotFound, BadRequest; Unprocessable where no device
 * can take it, which names them; Forbidden for an address where agents may not propose one.
 */
export async function makeRollout(
  { app, q, proposer, framed }: Making,
  ask: RolloutAsk,
): Promise<Made> {
  const { tenantId } = proposer;
  const { packageId, byUri = false, waveSize, failurePercent, minutes } = ask;
  if (byUri && !app.config.agentFirmwareByUri)
    throw new Forbidden(
      'byUri: agents may not propose that devices fetch firmware by themselves, because its bytes are not known; ' +
        'the operator can allow it with SVC_AGENT_FIRMWARE_BY_URI',
    );
  const found = await packageFor(q, tenantId, { packageId, byUri });
  const { ids, byGroup, byLabel } = await wantedIn(q, tenantId, ask);
  if (ids.length > MAX_DEVICES)
    throw new Unprocessable(
      `A proposal has at most ${MAX_DEVICES} devices, and these are ${ids.length}; propose parts of them`,
    );
  const [targets, frame] = await Promise.all([
    targetsOf(app, q, tenantId, ids, framed.now),
    frameOf(q, proposer, framed, LIFE_MS),
  ]);
  const { packageVersion, packageModel } = found;
  const { taking, leftOut } = sorted(targets, { packageVersion, packageModel });
  const firmware: FirmwareCard = {
    packageId: found.id,
    packageName: found.packageName,
    packageVersion,
    packageModel,
    size: Number(found.size),
    sha256: byUri ? null : found.sha256,
    packageUri: byUri ? found.packageUri : '',
    waveSize,
    failurePercent,
    minutes,
    byGroup,
    byLabel,
    devices: taking.map(deviceOf),
    leftOut: [...('card' in ask ? ask.card.leftOut : []), ...leftOut],
    notes: notesOf(taking, byUri),
  };
  if (taking.length === 0) throw noneTakes(firmware);
  return {
    card: { ...NO_WRITE, ...frame, firmware },
    begin(_app, within, { caller, proposal }) {
      const { actionId, userId: proposerId, clientId } = proposal;
      const plan = { found, byUri, devices: taking, waveSize, failurePercent, minutes };
      const of = { actionId, proposerId, clientId };
      return { commandId: null, stored: startIn(within, app, caller, { ...plan, proposal: of }) };
    },
  };
}

/** Of a card that is made again: its own devices, whatever its group is now. */
async function wantedIn(q: Making['q'], tenantId: string, ask: RolloutAsk) {
  if (!('card' in ask)) return chosenDevices(q, tenantId, ask);
  const { devices, byGroup, byLabel } = ask.card;
  return { ids: devices.map(({ deviceId }) => deviceId), byGroup, byLabel };
}

type OfPackage = Pick<FirmwareCard, 'packageVersion' | 'packageModel'>;

/** Which devices can take the package, and why the others cannot. */
function sorted(
  targets: readonly Target[],
  of: OfPackage,
): { taking: Target[]; leftOut: LeftOut[] } {
  const taking: Target[] = [];
  const leftOut: LeftOut[] = [];
  for (const target of targets) {
    const code = whyNot(target, of);
    const { deviceId, deviceName, versionNow, model } = target;
    if (code === null) taking.push(target);
    else leftOut.push({ deviceId, deviceName, code, versionNow, model });
  }
  return { taking, leftOut };
}

function whyNot(
  target: Target,
  { packageVersion, packageModel }: OfPackage,
): LeftOut['code'] | null {
  if (!target.isEnabled) return 'DISABLED';
  if (target.isBusy) return 'UPDATE_UNDER_WAY';
  if (!target.everConnected) return 'NEVER_CONNECTED';
  if (target.hasFirmwareObject === false) return 'NO_FIRMWARE_OBJECT';
  if (packageModel !== '' && target.model !== null && target.model !== packageModel)
    return 'OTHER_MODEL';
  return target.versionNow === packageVersion ? 'SAME_VERSION' : null;
}

const deviceOf = ({ facts: effect, ...target }: Target): FirmwareCard['devices'][number] => ({
  deviceId: target.deviceId,
  deviceName: target.deviceName,
  deviceCode: target.deviceCode,
  deviceStatus: target.deviceStatus,
  endpoint: target.endpoint,
  security: target.security,
  keyIdentity: target.keyIdentity,
  versionNow: target.versionNow,
  model: target.model,
  effect,
});

function notesOf(taking: readonly Target[], byUri: boolean): FirmwareNote[] {
  const inClear = taking.filter(({ security }) => security === 'CLEAR').length;
  const models = new Set(taking.flatMap(({ model }) => (model === null ? [] : [model])));
  return [
    ...(byUri ? [{ code: 'BYTES_UNKNOWN' as const, devices: 0 }] : []),
    ...(inClear > 0 ? [{ code: 'IN_CLEAR' as const, devices: inClear }] : []),
    ...(models.size > 1 ? [{ code: 'MODELS_DIFFER' as const, devices: taking.length }] : []),
  ];
}

function noneTakes(firmware: FirmwareCard): Unprocessable {
  const { leftOut } = firmware;
  const named = leftOut
    .slice(0, MAX_NAMED)
    .map((one) => `${quoted(one.deviceName)}: ${leftOutWords(one, firmware, byName)}`);
  const more = leftOut.length > MAX_NAMED ? `; and ${leftOut.length - MAX_NAMED} more` : '';
  const codes = leftOut.map(({ deviceId, deviceName, code }) => ({ deviceId, deviceName, code }));
  return new Unprocessable(`No device can take this firmware. ${named.join('; ')}${more}`, {
    leftOut: codes,
  });
}

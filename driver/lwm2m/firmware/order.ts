import { DriverFailure, type FirmwareUpdate } from '../../sdk/driver.ts';

type Answer = FirmwareUpdate['known']['answer'];
type Phase = 'SENDING' | 'UPDATING';

/** Incomplete, or too many requests: worth another attempt. */
const NOT_NOW = /4\.(08|29)/;

/** Sends an order to the device, once the platform knows of it; the device's reason where it refused, else null. */
export async function sendOrder(
  update: FirmwareUpdate,
  { phase, session, resultBefore }: { phase: Phase; session: string; resultBefore: number | null },
  sending: () => Promise<void>,
): Promise<string | null> {
  const { known } = update;
  const count = phase === 'SENDING' ? 'pushes' : 'executions';
  const before = { ...known };
  known[count] += 1;
  Object.assign(known, { phase, answer: 'SENT', session, resultBefore });
  try {
    await update.mayBegin();
    await update.willOrder();
  } catch (error) {
    Object.assign(known, before);
    throw error;
  }
  let refusal: string | null = null;
  try {
    await sending();
    known.answer = 'ACCEPTED';
  } catch (error) {
    if (!(error instanceof DriverFailure)) throw error;
    known.answer = answerAfter(error, phase);
    const isRefused = error.code === 'DEVICE_REFUSED';
    // Of a package that is sent block by block, some may be there.
    const isWhole = phase === 'UPDATING' || update.uri !== '';
    if (known.answer === 'NONE' && !isRefused && isWhole) Object.assign(known, before);
    if (!isRefused) throw error;
    refusal = error.message;
  }
  await update.reported(null);
  return refusal;
}

/**
 * What a failure says of an order to a device: NONE, it certainly has not taken it; REFUSED, it will not; SENT, it may be at
 * work on it. An error of the device itself (5.xx) leaves nothing of a package behind, but an installation may have begun.
 */
function answerAfter({ code, message, outcome }: DriverFailure, phase: Phase): Answer {
  if (code !== 'DEVICE_REFUSED') return outcome === 'FAILED' ? 'NONE' : 'SENT';
  if (outcome === 'UNKNOWN') return phase === 'SENDING' ? 'NONE' : 'SENT';
  return NOT_NOW.test(message) ? 'NONE' : 'REFUSED';
}

import type { z } from 'zod';

import type { App, Caller, UntrustedText } from '../../kernel/app/app.ts';
import type { FilePiece } from '../../kernel/app/route.ts';
import { AppError } from '../../kernel/errors.ts';
import { DEVICE_WORDS, isFree, NAME_WORDS } from '../../kernel/sentence/free-text.ts';
import { type MarksByName, untrustedIn } from '../connection/untrusted.ts';
import { quotedTexts } from './marked.ts';
import { noteRead } from './read-texts.ts';

const each = <const M>(mark: M, names: string) =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, mark]),
  );

/**
 * What devices and people write in answers of the REST API, where a field means the same under its name in every answer.
 * Fields without a row here are made by the platform (test/unit/written-fields.test.ts goes through all of them).
 */
export const WRITTEN: MarksByName = {
  ...each(
    { words: NAME_WORDS },
    `actorName agentName attributeName back by byGroup byLabel channel channelName className clientName commandName confirmUserName creatorName
    decidedName deletionName deviceName driverName endedName endUser entityName eventName fileName from group groupBefore groupName holdName importName
    label labelName maintenanceName makerName manualName messageName name notifyName operatorName owner packageName paramName
    places pointName policyName
    principalName profileName proposerName providerName rolloutName ruleName to userName
    attributeCode code commandCode deviceCode driverCode eventCode groupCode labelCode messageCode notifyCode
    paramCode pointCode profileCode ruleCode serviceHost serviceName
    askedAs comment configValue confirmNote defaultValue document endpoint endpointBefore instruction instructionBefore keyIdentity proposedValue query reason remark requestValue text
    title`,
  ),
  ...each(
    { words: DEVICE_WORDS },
    `beforeValue calValue currentValue held message model packageModel rawValue readBackValue responseValue said
    packageVersion unit value version versionBefore versionNow`,
  ),
  ...each(
    { words: 'quoted' },
    `changes condition conditionBefore correction failure margin missing moved note recovery refusal say sentence
    statusReason summary valueIssue waits watches what why words wordsBefore`,
  ),
  ...each(
    { words: 'any' },
    `attributeExt bindExt children commandExt configExt configSnapshot deviceExt driverExt entityStateExt
    eventExt groupExt labelExt messageExt notifyExt paramExt paramValues pointExt profileExt resultValues ruleExt`,
  ),
  ...each({ words: NAME_WORDS }, 'description errorMessage'),
};

/** A program reads with a key or token; what a person reads in the console counts for no program. */
const isProgram = ({ via }: Caller): boolean => via === 'key' || via === 'oauth';

/** Notes what programs read of a route, before it is sent; throws when that cannot be stored. */
export type RestReader = {
  /** The answer of `run`, noted; of a refusal, the names that it quotes. */
  read<T>(caller: Caller, run: () => Promise<T>): Promise<T>;
  /** A table as text, or the pieces of one, noted as they are made. */
  table(caller: Caller, text: string): Promise<string>;
  pieces(caller: Caller, pieces: AsyncIterable<string>): AsyncIterable<string>;
  /** The same of a file of bytes. */
  file(caller: Caller, pieces: AsyncIterable<FilePiece>): AsyncIterable<Buffer>;
};

/** `door` names the route on cards: `GET /api/v3/manager/device/list`. */
export function restReader(app: App, door: string, output: z.ZodType): RestReader {
  const { fields, texts } = untrustedIn(output, WRITTEN);
  const reader: RestReader = {
    async read(caller, run) {
      if (!isProgram(caller)) return run();
      try {
        const answer = await run();
        if (fields.length > 0) await noteRead(app, caller, door, texts(answer));
        return answer;
      } catch (error) {
        if (error instanceof AppError)
          await noteRead(app, caller, door, quotedTexts('message', error.message));
        throw error;
      }
    },
    async table(caller, text) {
      if (isProgram(caller)) await noteRead(app, caller, door, textsIn(cellsOf(text)));
      return text;
    },
    async *pieces(caller, pieces) {
      for await (const piece of pieces) yield await reader.table(caller, piece);
    },
    async *file(caller, pieces) {
      for await (const { bytes, texts: cells } of pieces) {
        if (isProgram(caller)) await noteRead(app, caller, door, textsIn(cells));
        yield bytes;
      }
    },
  };
  return reader;
}

/** Numbers, times and ids are no words. */
const textsIn = (cells: readonly string[]): UntrustedText[] =>
  Array.from(new Set(cells.filter((cell) => /\p{L}{2}/u.test(cell))), (text) => ({
    field: 'table',
    of: '',
    text,
    isFree: isFree(text, NAME_WORDS),
  }));

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;

/** A table has whole rows. */
const cellsOf = (text: string): string[] =>
  (text.replaceAll(UUID, '').match(/"(?:[^"]|"")*"|[^,;\r\n"]+/g) ?? []).map((cell) =>
    cell.replace(/^"|"$/g, '').replaceAll('""', '"'),
  );

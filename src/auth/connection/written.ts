import { DEVICE_WORDS, NAME_WORDS } from '../../kernel/sentence/free-text.ts';
import type { MarksByName } from './untrusted.ts';

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
    `actorName agentName attributeName back by byGroup byLabel channel clientName commandName confirmUserName creatorName
    decidedName deviceName driverName endedName endUser entityName eventName fileName from group groupName
    label labelName makerName messageName name notifyName operatorName packageName paramName pointName
    principalName profileName proposerName providerName rolloutName ruleName to userName
    attributeCode code commandCode deviceCode driverCode eventCode groupCode labelCode messageCode notifyCode
    paramCode pointCode profileCode ruleCode serviceHost serviceName
    comment configValue confirmNote defaultValue endpoint keyIdentity proposedValue reason remark requestValue text
    title`,
  ),
  ...each(
    { words: DEVICE_WORDS },
    `beforeValue calValue currentValue held message model packageModel rawValue readBackValue responseValue said
    packageVersion unit value version versionBefore versionNow`,
  ),
  ...each(
    { words: 'quoted' },
    `changes condition correction margin missing moved recovery refusal say sentence statusReason summary valueIssue what why`,
  ),
  ...each(
    { words: 'any' },
    `attributeExt bindExt children commandExt configExt configSnapshot deviceExt driverExt entityStateExt
    eventExt groupExt labelExt messageExt notifyExt paramExt paramValues pointExt profileExt resultValues ruleExt`,
  ),
  ...each({ words: NAME_WORDS }, 'description errorMessage'),
};

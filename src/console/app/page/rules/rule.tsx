import { useRef, useState } from 'preact/hooks';

import { useAct, useAsk } from '../../client/ask.ts';
import { bounds } from '../../client/bounds.ts';
import type { Schemas } from '../../client/operations.ts';
import { navigate, type Parameters, query } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { useUnsaved } from '../../client/unsaved.ts';
import { announce } from '../../part/announce.tsx';
import { Button } from '../../part/control/button.tsx';
import { Loaded, RefusedNote } from '../../part/control/loaded.tsx';
import { Link } from '../../part/link.tsx';
import { Page } from '../../part/page.tsx';
import {
  AsOf,
  type Columns,
  enteredOf,
  History,
  type Unknown,
  useVersion,
  type Version,
  wasFlag,
  wasMembers,
  wasText,
} from '../../part/version.tsx';
import { ruleFormWords } from '../../word/rule-form.ts';
import { rulesWords } from '../../word/rules.ts';
import { contentOf, draftOf, extOf, isWhole, NEW, unitOf } from './draft/rule-draft.ts';
import type { Draft } from './draft/rule-entered.ts';
import { FORMULA, fitted } from './draft/rule-fit.ts';
import { Active } from './form/rule-active.tsx';
import { Condition } from './form/rule-condition.tsx';
import { Place } from './form/rule-place.tsx';
import { Then } from './form/rule-then.tsx';
import { Drill } from './rule-drill.tsx';
import { Warnings } from './rule-episodes.tsx';
import { Preview } from './rule-preview.tsx';
import { demandOf, Enabled } from './rule-row.tsx';

type Rule = Schemas['Rule'];
type Point = Schemas['Point'];

/** `/rules/new` and `/rules/:id`: a rule as a form, with what it would have raised. */
export function Rule({ id }: Parameters) {
  const w = rulesWords();
  const asked = useAsk('GET /data/rule/get_by_id', id === undefined ? null : { id });
  const at = id === undefined ? null : query.value.get('back');
  const earlier = useVersion({ entityType: 'rule', entityId: id ?? '' }, at);
  const again = (): void => {
    asked.again();
    earlier.again();
  };
  return (
    <Page
      title={asked.data?.ruleName ?? (id === undefined ? w.make : w.one)}
      state={asked.data && <Enabled isOn={asked.data.enableFlag === 'ENABLE'} />}
      actions={
        <>
          <History entityType="rule" entityId={id} />
          <Link to="/rules">{w.toAll}</Link>
        </>
      }
    >
      {id === undefined ? (
        <Editor key="new" rule={null} version={null} again={again} />
      ) : (
        <Loaded asked={asked} rows={8}>
          {(rule) => (
            <>
              <Warnings of={rule} />
              <AsOf of="rule" at={at} asked={earlier} has={Object.keys(RULE_COLUMNS)}>
                {(version, note) => (
                  <>
                    {note}
                    <Editor key={id} rule={rule} version={version} again={again} />
                  </>
                )}
              </AsOf>
              {rule.notifyId !== '0' && <Drill of={{ ruleId: rule.id }} />}
            </>
          )}
        </Loaded>
      )}
    </Page>
  );
}

type Given = { rule: Rule | null; again(): void };
type EditorGiven = Given & { version: Version | Unknown | null };

const FLAGS = bounds['POST /manager/device/list'].enableFlag.values;

/** What an earlier version of a rule is in the answer that the form is made of. */
export const RULE_COLUMNS: Columns<Rule> = {
  rule_name: (was) => ({ ruleName: wasText(was) }),
  remark: (was) => ({ remark: wasText(was) }),
  enable_flag: (was) => ({ enableFlag: wasFlag(FLAGS, was) }),
  notify_id: (was) => ({ notifyId: wasText(was) }),
  message_id: (was) => ({ messageId: wasText(was) }),
  rule_ext: (was) => ({ ruleExt: wasMembers(was) }),
};

function Editor({ rule, version, again }: EditorGiven) {
  const w = rulesWords();
  // What the form does not show comes from the same version as what it shows.
  const [basis] = useState(() => rule && { ...rule, ...enteredOf(version, RULE_COLUMNS) });
  const [entered, setDraft] = useState<Draft>(() =>
    basis ? draftOf(basis) : { ...NEW, entityId: query.peek().get('point') ?? '' },
  );
  // By what it says: an earlier version may be unknown, or say the same as what is stored.
  const textOfDraft = JSON.stringify(entered);
  const begun = useRef(rule ? JSON.stringify(draftOf(rule)) : textOfDraft);
  useUnsaved(textOfDraft !== begun.current);
  const isPoint = entered.target === 'POINT' && entered.entityId !== '' && entered.entityId !== '0';
  const point = useAsk(
    'GET /manager/point/get_by_id',
    isPoint && may('svc-center-manager:point:get') ? { id: entered.entityId } : null,
  );
  const type = point.data?.pointTypeFlag ?? null;
  // What is stored stays as it is until it is changed.
  const draft = rule ? entered : fitted(entered, type);
  const change = (given: Partial<Draft>): void =>
    setDraft(
      rule && given.field === undefined
        ? { ...draft, ...given }
        : fitted({ ...draft, ...given }, type),
    );
  const unit = isPoint ? unitFor(draft, point.data, rule) : '';
  const ruleExt = isWhole(draft) ? extOf(draft, unit, basis) : null;
  const saved = (): void => {
    begun.current = textOfDraft;
    again();
  };
  const { save, failure, isRunning } = useSave({ draft, unit, rule, ruleExt, again: saved });
  const maySave = may(`svc-center-data:rule:${rule ? 'update' : 'add'}`);
  const given = { draft, change, failure };
  const where = draft.areChosen ? 'chosen' : 'POINT';
  return (
    <>
      <div class="panel">
        <Place {...given} isFixed={rule !== null} point={point.data} />
        <Condition {...given} unit={unit} type={type} point={point.data} />
        <Active {...given} />
        {ruleExt && point.data && (
          <p>
            <bdi>{w.is(point.data.pointName, w.every[where], demandOf(ruleExt.content))}</bdi>
          </p>
        )}
        <Then {...given} />
        <RefusedNote failure={failure} />
        {maySave && (
          <div class="row">
            <Button
              kind="primary"
              isBusy={isRunning}
              isOff={ruleExt === null}
              onPress={() => void save()}
            >
              {rule ? ruleFormWords().save : ruleFormWords().add}
            </Button>
            {rule && <small class="quiet">{ruleFormWords().closes}</small>}
          </div>
        )}
      </div>
      <Preview draft={draft} ruleExt={ruleExt} rule={rule} isPoint={isPoint} change={change} />
    </>
  );
}

/** The unit of what is compared: the point's, or that of the stored rule where the point is not known. */
function unitFor(draft: Draft, point: Point | null | undefined, rule: Rule | null): string {
  if (draft.field === 'rawValue' || draft.field === FORMULA) return '';
  return point?.unit ?? (rule ? unitOf(contentOf(rule)) : '');
}

type SaveGiven = Given & { draft: Draft; unit: string; ruleExt: ReturnType<typeof extOf> | null };

/** Adds the rule, or changes what is other than stored: an unchanged condition keeps its states. */
function useSave({ draft, unit, rule, ruleExt, again }: SaveGiven) {
  const w = ruleFormWords();
  const add = useAct('POST /data/rule/add');
  const update = useAct('POST /data/rule/update');
  const save = async (): Promise<void> => {
    const { ruleName, remark, notifyId, messageId } = draft;
    if (ruleExt === null) return;
    const enableFlag = draft.isEnabled ? 'ENABLE' : 'DISABLE';
    const shared = { ruleName, remark, notifyId, messageId };
    if (rule === null) {
      const { target: alarmTargetTypeFlag, entityId } = draft;
      const id = await add.run({ ...shared, enableFlag, alarmTargetTypeFlag, entityId, ruleExt });
      if (id === null) return;
      announce(w.added(ruleName));
      navigate(`/rules/${id}`, { replace: true });
      return;
    }
    const isChanged = JSON.stringify(ruleExt) !== JSON.stringify(extOf(draftOf(rule), unit, rule));
    const done = await update.run({
      id: rule.id,
      ...shared,
      ...(enableFlag !== rule.enableFlag && { enableFlag }),
      ...(isChanged && { ruleExt }),
    });
    if (done === null) return;
    announce(w.saved(ruleName));
    again();
  };
  return {
    save,
    failure: add.failure ?? update.failure,
    isRunning: add.isRunning || update.isRunning,
  };
}

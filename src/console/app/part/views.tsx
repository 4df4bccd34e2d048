import { useState } from 'preact/hooks';

import { navigate, query } from '../client/route.ts';
import { forgetView, saveView, viewQuery, viewsOf } from '../client/storage/views.ts';
import { partWords } from '../word/part.ts';
import { viewsWords } from '../word/views.ts';
import { announce } from './announce.tsx';
import { Button } from './control/button.tsx';
import { FormDialog } from './control/dialog.tsx';
import { Choice, TextField } from './control/field.tsx';
import { Opener } from './control/opener.tsx';

const NONE = '';
const LONGEST = 64;

/** What the list at `path` is narrowed to can be saved under a name, and shown again. */
export function Views({ path }: { path: string }) {
  const w = viewsWords();
  const views = viewsOf(path);
  const now = viewQuery(query.value);
  const current = views.find((view) => view.query === now);
  if (views.length === 0 && now === '') return null;
  return (
    <div class="row" role="group" aria-label={w.title}>
      {views.length > 0 && (
        <Choice
          label={w.title}
          value={current?.name ?? NONE}
          onChange={(name) => {
            const view = views.find((each) => each.name === name);
            navigate(`${path}${view ? `?${view.query}` : ''}`);
          }}
          options={[[NONE, w.none], ...views.map(({ name }) => [name, name] as const)]}
        />
      )}
      {current ? (
        <Button
          kind="quiet"
          label={w.forgetOf(current.name)}
          onPress={() => {
            const isDone = forgetView(path, current);
            announce(isDone ? w.forgotten(current.name) : partWords().notStored);
          }}
        >
          {w.forget}
        </Button>
      ) : (
        now !== '' && (
          <Opener word={w.save} kind="quiet">
            {(close) => <SaveView path={path} now={now} onClose={close} />}
          </Opener>
        )
      )}
    </div>
  );
}

type Given = { path: string; now: string; onClose(): void };

function SaveView({ path, now, onClose }: Given) {
  const w = viewsWords();
  const [entered, setEntered] = useState('');
  const [isRefused, setRefused] = useState(false);
  const name = entered.trim();
  const isTaken = viewsOf(path).some((view) => view.name === name);
  return (
    <FormDialog
      title={w.save}
      isRunning={false}
      isOff={name === ''}
      failure={null}
      onGo={() => {
        const isDone = saveView(path, { name, query: now });
        setRefused(!isDone);
        if (!isDone) return;
        announce(w.saved(name));
        onClose();
      }}
      onClose={onClose}
    >
      <TextField
        label={w.name}
        wrong={isRefused ? partWords().notStored : undefined}
        hint={isTaken ? w.taken : w.where}
        value={entered}
        onChange={(text) => setEntered(text.slice(0, LONGEST))}
        autocomplete="off"
      />
    </FormDialog>
  );
}

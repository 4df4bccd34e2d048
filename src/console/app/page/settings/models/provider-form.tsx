import { bounds } from '../../../client/bounds.ts';
import type { Schemas } from '../../../client/operations.ts';
import { announce } from '../../../part/announce.tsx';
import { FormDialog } from '../../../part/control/dialog.tsx';
import { Check, Choice, optionsIn, TextArea, TextField } from '../../../part/control/field.tsx';
import { useForm } from '../../../part/control/form.ts';
import { modelsWords } from '../../../word/models.ts';

type Given = {
  /** Null: a new one. */
  provider: Schemas['ModelProvider'] | null;
  changed(): void;
  onClose(): void;
};

const KINDS = bounds['POST /agentic/provider/config/add'].providerType.values;

/** Adds or changes a provider; its key is only ever given, never shown. */
export function ProviderForm({ provider, changed, onClose }: Given) {
  const { provider: w, kinds } = modelsWords();
  const form = useForm(
    provider ? 'POST /agentic/provider/config/update' : 'POST /agentic/provider/config/add',
    {
      fields: fieldsOf(provider),
      needs: ['name', 'baseUrl'],
      input({
        apiKey,
        isForgotten,
        headers,
        areHeadersForgotten,
        proxy,
        isOn,
        isDefault,
        ...given
      }) {
        const named = headersIn(headers);
        if (named === null) return null;
        return {
          ...(provider && { id: provider.id }),
          ...given,
          enableFlag: isOn ? ('ENABLE' as const) : ('DISABLE' as const),
          defaultFlag: isDefault ? ('DEFAULT' as const) : ('NOT_DEFAULT' as const),
          ...(isForgotten ? { apiKey: null } : apiKey !== '' && { apiKey }),
          ...(areHeadersForgotten
            ? { headers: null }
            : headers.trim() !== '' && { headers: named }),
          ...((provider?.proxy ?? '') !== proxy && { proxy: proxy.trim() || null }),
        };
      },
      done(_, { name }) {
        announce(w.saved(name));
        changed();
        onClose();
      },
    },
  );
  const isMoved = provider !== null && provider.baseUrl !== form.values.baseUrl;
  const hasKey = provider?.hasApiKey === true;
  const names = provider?.headerNames ?? [];
  return (
    <FormDialog title={provider ? w.edit : w.add} {...form.sends} onClose={onClose}>
      <TextField label={w.name} {...form.of('name')} />
      <Choice label={w.kind} {...form.of('providerType')} options={optionsIn(KINDS, kinds)} />
      <TextField label={w.baseUrl} hint={w.baseUrlHint} type="url" {...form.of('baseUrl')} />
      {!form.values.isForgotten && (
        <TextField
          label={w.key}
          hint={!hasKey ? w.keyHint : isMoved ? w.keyGoes : w.keyStays}
          type="password"
          {...form.of('apiKey')}
          autocomplete="new-password"
        />
      )}
      {hasKey && <Check label={w.forget} {...form.of('isForgotten')} />}
      {!form.values.areHeadersForgotten && (
        <TextArea
          label={w.headers}
          hint={
            headersIn(form.values.headers) === null
              ? w.headersWrong
              : names.length === 0
                ? w.headersHint
                : isMoved
                  ? w.headersGo
                  : w.headersStay(names.join(', '))
          }
          rows={2}
          value={form.values.headers}
          onChange={(headers) => form.set({ headers })}
        />
      )}
      {names.length > 0 && <Check label={w.forgetHeaders} {...form.of('areHeadersForgotten')} />}
      <TextField label={w.proxy} hint={w.proxyHint} type="url" {...form.of('proxy')} />
      <TextField label={w.model} hint={w.modelHint} {...form.of('model')} />
      <Check label={w.isOn} {...form.of('isOn')} />
      <Check label={w.isDefault} {...form.of('isDefault')} />
    </FormDialog>
  );
}

/** Lines `Name: value`; null where one is no header. */
function headersIn(text: string): Record<string, string> | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => /^\s*([^\s:]+)\s*:\s*(\S.*?)\s*$/.exec(line));
  if (pairs.includes(null)) return null;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
}

const fieldsOf = (provider: Given['provider']) => ({
  name: provider?.name ?? '',
  providerType: provider?.providerType ?? KINDS[0],
  baseUrl: provider?.baseUrl ?? '',
  apiKey: '',
  isForgotten: false,
  headers: '',
  areHeadersForgotten: false,
  proxy: provider?.proxy ?? '',
  model: provider?.model ?? '',
  isOn: provider?.enableFlag !== 'DISABLE',
  isDefault: provider?.defaultFlag === 'DEFAULT',
});

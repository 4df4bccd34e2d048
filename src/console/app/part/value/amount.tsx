type Given = { value: string | number | null; unit?: string; class?: string };

/** A value with its unit small beside it; a dash where there is none. */
export const Amount = ({ value, unit = '', class: name = '' }: Given) =>
  value === null || value === '' ? (
    <span class="quiet">–</span>
  ) : (
    <bdi class={`tabular ${name}`}>
      {value}
      {unit !== '' && <small class="unit"> {unit}</small>}
    </bdi>
  );

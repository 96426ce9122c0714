/** Several of a few things, each with a box to tick. */
export function Checks({
  title,
  all,
  chosen,
  problem,
  onChange,
}: {
  title: string
  all: readonly (readonly [id: string, title: string])[]
  chosen: readonly string[]
  problem?: string | undefined
  onChange: (chosen: readonly string[]) => void
}) {
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="font-medium">{title}</legend>
      {all.map(([id, label]) => (
        <label key={id} className="flex items-center gap-2">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={chosen.includes(id)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, id] : chosen.filter(other => other !== id))
            }
          />
          {label}
        </label>
      ))}
      {problem && (
        <p role="alert" className="text-[13px] text-wrong">
          {problem}
        </p>
      )}
    </fieldset>
  )
}

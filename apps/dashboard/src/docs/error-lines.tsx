import { errorLink } from './place.ts'
import { Prose } from './prose.tsx'
import { useReference } from './reference.ts'

/** Errors with what is wrong and how to fix it. */
export function ErrorLines({ codes }: { codes: readonly string[] }) {
  const { errors } = useReference()
  return (
    <ul className="divide-y divide-line">
      {codes.map(code => {
        const error = errors[code]
        return (
          error && (
            <li key={code} id={`error-${code}`} className="py-2">
              <p className="flex flex-wrap items-baseline gap-x-2">
                <a href={errorLink(code)} className="font-mono text-[13px] font-semibold hover:underline">
                  {code}
                </a>
                <span className="text-[13px] text-quiet">{error.status}</span>
              </p>
              <p>
                <Prose text={`${error.message} ${error.hint}`} />
              </p>
            </li>
          )
        )
      })}
    </ul>
  )
}

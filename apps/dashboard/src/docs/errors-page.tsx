import { operations } from 'virtual:operation-list'
import { Page } from '../ui/page.tsx'
import { ErrorLines } from './error-lines.tsx'
import { operationLink } from './place.ts'
import { useReference } from './reference.ts'

/** All errors, or one with the operations that return it. */
export function ErrorsPage({ code }: { code: string | undefined }) {
  const { errors, operations: details } = useReference()
  if (code !== undefined && errors[code]) {
    const returning = operations.filter(({ id }) => details[id]?.errors.includes(code))
    return (
      <Page title={code} about="An error of the API">
        <ErrorLines codes={[code]} />
        <section>
          <h2 className="mb-1 text-base font-semibold">Operations that return it</h2>
          {returning.length === operations.length ? (
            <p>All of them.</p>
          ) : (
            <ul className="flex flex-wrap gap-x-4 gap-y-1">
              {returning.map(({ id }) => (
                <li key={id}>
                  <a href={operationLink(id)} className="text-accent underline">
                    {id}
                  </a>
                </li>
              ))}
            </ul>
          )}
        </section>
      </Page>
    )
  }
  return (
    <Page title="Errors" about="Programs can rely on codes. Messages are for people, and can change.">
      <ErrorLines codes={Object.keys(errors).sort()} />
    </Page>
  )
}

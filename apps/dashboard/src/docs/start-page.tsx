import { operations } from 'virtual:operation-list'
import { Code } from '../ui/copy.tsx'
import { Page } from '../ui/page.tsx'
import { CredentialPanel } from './credential-panel.tsx'
import { operationLink } from './place.ts'
import { Prose } from './prose.tsx'

/** What to know before the first request. */
export function StartPage() {
  return (
    <Page title="Sandglass API" about={`${operations.length} operations over HTTP, with JSON`}>
      <CredentialPanel />
      <section className="flex flex-col gap-2">
        <h2 className="text-base font-semibold">Requests</h2>
        <p>
          <Prose text="A request carries a credential in the header `X-Api-Key`; trial tokens are in `X-Trial-Session-Token`, and tokens of an identity provider in `Authorization: Bearer`. An error is JSON with a `code` for programs and a `message` that says what is wrong and how to fix it." />
        </p>
        <Code
          label="The first request"
          text={`curl "${location.origin}/api/orgs/$SANDGLASS_ORG/sandboxes" \\\n  -H "X-Api-Key: $SANDGLASS_API_KEY"`}
        />
      </section>
      <section className="flex flex-col gap-2">
        <h2 className="text-base font-semibold">Where to begin</h2>
        <ul className="list-inside list-disc">
          {beginning.map(([id, what]) => (
            <li key={id}>
              <a href={operationLink(id)} className="text-accent underline">
                {id}
              </a>
              : {what}
            </li>
          ))}
        </ul>
        <p>
          Every operation has a page with its parameters, errors and examples, and can be run there. Press{' '}
          <kbd className="rounded border border-line-strong px-1 font-mono text-[13px]">/</kbd> to search. The{' '}
          <a href="/docs/guide" className="text-accent underline">
            guide
          </a>{' '}
          explains what they are for, from a first tutorial on. Programs can read{' '}
          <a href="/openapi.json" className="text-accent underline">
            openapi.json
          </a>
          .
        </p>
      </section>
    </Page>
  )
}

const beginning = [
  ['createSandbox', 'a machine with a screen'],
  ['executeSandboxAction', 'look at its screen, click and type'],
  ['execSandboxProcess', 'run a program in it'],
  ['createLiveInvitation', 'let a person watch it and take over'],
  ['deleteSandbox', 'end it'],
] as const

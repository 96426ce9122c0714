import { useState } from 'react'
import { useOrgId } from '../../app/session.ts'
import { Code } from '../../ui/copy.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { type Choices, linesOf, type Request, requestOf } from './choices.ts'

/** The commands that create the same sandbox. Keys are not shown, because they stay in the environment. */
export function Commands({ choices }: { choices: Choices }) {
  const [shown, setShown] = useState('curl')
  const orgId = useOrgId()
  const request = requestOf(choices)
  const texts = {
    curl: curlOf(orgId, choices, request),
    typescript: typescriptOf(choices, request),
    cli: cliOf(choices, request),
  }
  const tabs = [
    { id: 'curl', title: 'curl', content: () => <Code label="Terminal" text={texts.curl} /> },
    {
      id: 'typescript',
      title: 'TypeScript',
      content: () => <Code label="The package sandglass" text={texts.typescript} />,
    },
    { id: 'cli', title: 'Command line', content: () => <Code label="Terminal" text={texts.cli} /> },
  ]
  return (
    <aside aria-label="The same in code" className="flex flex-col gap-2">
      <h2 className="font-medium">The same in code</h2>
      <Tabs label="Language" tabs={tabs} shown={shown} onShow={setShown} />
    </aside>
  )
}

function curlOf(orgId: string, { shapeName }: Choices, { imageId, ...rest }: Request): string {
  const body = imageId ? { imageId, ...rest, name: rest.name ?? 'sandbox' } : { shapeName, ...rest }
  const path = imageId ? '/sandboxes/from-image' : '/sandboxes'
  return [
    `curl ${location.origin}/api/orgs/${orgId}${path} \\`,
    '  -H "x-api-key: $SANDGLASS_API_KEY" \\',
    "  -H 'content-type: application/json' \\",
    `  -d ${quoted(JSON.stringify(body, undefined, 2))}`,
  ].join('\n')
}

function typescriptOf({ shapeName }: Choices, { imageId, maxLifeSeconds, ...rest }: Request): string {
  const options = {
    ...(imageId ? { image: imageId } : { shape: shapeName }),
    ...rest,
    lifeSeconds: maxLifeSeconds,
  }
  return [
    "import { Sandbox } from 'sandglass'",
    '',
    `const sandbox = await Sandbox.create(${literal(options)})`,
    'console.log(sandbox.id)',
  ].join('\n')
}

function cliOf(choices: Choices, { imageId, name, maxLifeSeconds, projectId, egress }: Request): string {
  const each = (flag: string, text: string) => linesOf(text).map(line => `${flag} ${quoted(line)}`)
  const destinations = Array.isArray(egress) ? linesOf(choices.destinations) : egress ? [egress] : []
  const words = [
    imageId ? `--image ${quoted(imageId)}` : `--shape ${quoted(choices.shapeName)}`,
    ...(name ? [`--name ${quoted(name)}`] : []),
    `--life ${maxLifeSeconds}s`,
    ...(projectId ? [`--project ${quoted(projectId)}`] : []),
    ...destinations.map(destination => `--egress ${quoted(String(destination))}`),
    ...(choices.onTimeout === 'pause' ? ['--on-timeout pause'] : []),
    ...each('--label', choices.labels),
    ...each('--env', choices.env),
  ]
  return `sandglass sandbox create \\\n  ${words.join(' \\\n  ')}`
}

/** As a shell reads it back. */
function quoted(text: string): string {
  return /^[\w./:=@*-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** As people write it: without quotes around names that need none. */
function literal(value: object): string {
  return JSON.stringify(value, undefined, 2).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
}

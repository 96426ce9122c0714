interface Place {
  readonly url: string
  readonly orgId: string
  readonly sandboxId: string
  readonly isPhone: boolean
}

/** The first steps with this sandbox, for each way to call the service. */
export function snippetsOf({
  url,
  orgId,
  sandboxId,
  isPhone,
}: Place): readonly (readonly [string, string])[] {
  const kind = isPhone ? 'Phone' : 'Sandbox'
  return [
    [
      'curl',
      `curl -X POST -H "X-Api-Key: $SANDGLASS_API_KEY" -H 'Content-Type: application/json' \\\n` +
        `  -d '{"action": {"type": "screenshot"}}' \\\n` +
        `  ${url}/api/orgs/${orgId}/sandboxes/${sandboxId}/actions/execute`,
    ],
    [
      'TypeScript',
      `import { ${kind} } from 'sandglass'\n\n` +
        `const box = ${kind}.connect('${sandboxId}', {\n` +
        `  url: '${url}',\n  orgId: '${orgId}',\n  apiKey: process.env.SANDGLASS_API_KEY,\n})\n` +
        `const { stdout } = await box.run('uname -a')`,
    ],
    ['Command line', `sandglass login --url ${url} --org ${orgId}\nsandglass sandbox connect ${sandboxId}`],
  ]
}

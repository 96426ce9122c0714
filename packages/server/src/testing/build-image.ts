import assert from 'node:assert/strict'
import type { BuildEvent } from '@sandglass/protocol'
import type { TestService } from './test-service.ts'

/** Calls buildMachineImage, and returns the response as soon as it begins. */
export async function beginBuild(
  service: TestService,
  body: object,
  signal?: AbortSignal,
  { orgId, apiKey }: { orgId: string; apiKey: string } = service.service.credentials,
): Promise<Response> {
  return fetch(`${service.service.url}/api/orgs/${orgId}/machine-images/build`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
}

/** Reads the events of a build until it ends. */
export async function* eventsOf(response: Response): AsyncGenerator<BuildEvent> {
  assert.equal(response.status, 200, response.status === 200 ? '' : await response.clone().text())
  assert.ok(response.body)
  let rest = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + chunk).split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) if (part.startsWith('data: ')) yield JSON.parse(part.slice('data: '.length))
  }
}

export async function allOf(response: Response): Promise<BuildEvent[]> {
  const events: BuildEvent[] = []
  for await (const event of eventsOf(response)) events.push(event)
  return events
}

/** Builds an image, and returns all events. */
export async function build(service: TestService, body: object): Promise<BuildEvent[]> {
  return await allOf(await beginBuild(service, body))
}

/** Builds an image with one step, and returns its id. */
export async function builtImage(service: TestService, run = 'true'): Promise<string> {
  const last = (await build(service, { from: { shapeName: 'small' }, steps: [{ run }], name: 'built' })).at(
    -1,
  )
  assert.ok(last?.event === 'finished', JSON.stringify(last))
  return last.image.id
}

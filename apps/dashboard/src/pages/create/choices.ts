import type { Input } from '@sandglass/client'

/** What the form holds, as it was typed. */
export interface Choices {
  readonly shapeName: string
  readonly imageId: string
  readonly name: string
  readonly lifeMinutes: number
  readonly projectId: string
  readonly onTimeout: 'delete' | 'pause'
  readonly egress: 'internet' | 'none' | 'list'
  /** Hosts and networks, one per line. */
  readonly destinations: string
  /** name=value, one per line. */
  readonly labels: string
  readonly env: string
}

export const firstChoices: Choices = {
  shapeName: '',
  imageId: '',
  name: '',
  lifeMinutes: 60,
  projectId: '',
  onTimeout: 'delete',
  egress: 'internet',
  destinations: '',
  labels: '',
  env: '',
}

type Body = NonNullable<Input<'createSandbox'>['body']>
type Egress = NonNullable<Body['egress']>

/** Only what differs from what the service would choose itself, so that the commands stay short. */
export type Request = Pick<Body, 'name' | 'projectId' | 'egress' | 'labels' | 'env' | 'lifecycle'> & {
  readonly maxLifeSeconds: number
  readonly imageId?: string
}

export function requestOf(choices: Choices): Request {
  const { imageId, name, projectId, onTimeout } = choices
  const labels = pairsOf(choices.labels)
  const env = pairsOf(choices.env)
  const egress = egressOf(choices)
  return {
    ...(imageId && { imageId }),
    ...(name.trim() && { name: name.trim() }),
    maxLifeSeconds: Math.round(choices.lifeMinutes * 60),
    ...(projectId && { projectId }),
    ...(egress !== 'internet' && { egress }),
    ...(onTimeout !== 'delete' && { lifecycle: { onTimeout } }),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(Object.keys(env).length > 0 && { env }),
  }
}

function egressOf({ egress, destinations }: Choices): Egress {
  if (egress !== 'list') return egress
  return linesOf(destinations).map(line =>
    /^\d+\.\d+\.\d+\.\d+(\/\d+)?$/.test(line) ? { cidr: line } : { host: line },
  )
}

/** Reads name=value, one per line. A line without = is a name whose value is empty. */
export function pairsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    linesOf(text).map(line => {
      const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(line) ?? []
      return [name.trim(), value]
    }),
  )
}

export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
}

import type { SandboxApplication } from '@sandglass/protocol'

export function isBusy({ status }: SandboxApplication): boolean {
  return status === 'PENDING' || status === 'RUNNING'
}

const steps: Readonly<Record<string, string>> = {
  resolving: 'Looking for what is missing',
  fetching: 'Downloading',
  copying: 'Copying into the machine',
  installing: 'Installing',
}

/** How far an installation is, in words. */
export function progressOf({ status, detail }: SandboxApplication): string {
  const { step, fetched, copied, total, percent, reason } = fieldsOf(detail)
  if (status === 'SUCCEEDED') return 'Installed'
  if (status === 'FAILED') return typeof reason === 'string' ? reason : 'It could not be installed.'
  if (status === 'CANCELLED') return 'Cancelled'
  const title = (typeof step === 'string' && steps[step]) || 'Waiting'
  const done = fetched ?? copied
  if (typeof percent === 'number') return `${title}: ${Math.round(percent)} %`
  return typeof done === 'number' && typeof total === 'number' && total > 0
    ? `${title}: ${Math.round((100 * done) / total)} %`
    : title
}

function fieldsOf(detail: unknown): Readonly<Record<string, unknown>> {
  return typeof detail === 'object' && detail !== null ? { ...detail } : {}
}

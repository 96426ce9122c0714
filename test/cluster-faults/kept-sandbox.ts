import assert from 'node:assert/strict'
import { waitFor } from '@sandglass/machines/testing'
import type { Answer, Asked } from '../faults/calls.ts'
import type { JobWorld } from '../faults/jobs/job-world.ts'

/** What a service reports of a sandbox. */
export interface Reported {
  readonly status: string
  readonly reason?: string
  readonly problem?: { readonly reason: string }
}

/** A sandbox that lives through all faults. Its jobs call whichever service is up. */
export class KeptSandbox implements JobWorld {
  readonly image = 'minimal'
  readonly framesLostAtMs = Number.NEGATIVE_INFINITY
  readonly sandboxId: string
  readonly #services: { ask(asked: Asked): Promise<Answer> }

  constructor(services: { ask(asked: Asked): Promise<Answer> }, sandboxId: string) {
    this.#services = services
    this.sandboxId = sandboxId
  }

  ask(asked: Asked): Promise<Answer> {
    const path = asked.path.startsWith('/') ? `~/sandboxes/${this.sandboxId}${asked.path}` : asked.path
    return this.#services.ask({ ...asked, path })
  }

  async run(script: string): Promise<string | undefined> {
    const { status, body } = await this.ask({
      what: 'execSandboxProcess',
      method: 'POST',
      path: '/process',
      json: { executable: 'sh', args: ['-c', script] },
    })
    return status === 200 ? Buffer.from(body.stdoutBase64, 'base64').toString() : undefined
  }

  /** An answer is waited for, because the database that it comes from is there in all faults. */
  async reported(): Promise<Reported> {
    let answer: Answer | undefined
    await waitFor(async () => {
      answer = await this.ask({
        what: 'getSandbox',
        method: 'GET',
        path: `~/sandboxes/${this.sandboxId}`,
      })
      return answer.status !== 0 && answer.status !== 503
    })
    assert.equal(answer?.status, 200, JSON.stringify(answer?.body))
    return answer?.body.sandbox
  }

  /** Restarts the sandbox if it is in ERROR, and waits until it can be used. */
  async recover(): Promise<void> {
    await waitFor(async () => {
      const { status } = await this.reported()
      if (status === 'ERROR') await this.ask({ what: 'restartSandbox', method: 'POST', path: '/restart' })
      return status === 'RUNNING' && (await this.run('true')) !== undefined
    })
  }
}

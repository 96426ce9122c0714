import assert from 'node:assert/strict'
import { waitFor } from '@sandglass/machines/testing'
import { type Answer, Calls } from '../faults/calls.ts'
import type { Credentials } from '../support/service-process.ts'

/** An organization of its own, and its calls. */
export class Tenant {
  readonly credentials: Credentials
  readonly calls: Calls

  constructor(credentials: Credentials) {
    this.credentials = credentials
    this.calls = new Calls({ credentials })
  }

  static async create(operator: Credentials, name: string): Promise<Tenant> {
    const calls = new Calls({ credentials: { ...operator, apiKey: operator.operatorKey } })
    const { status, body } = await calls.ask({
      what: 'createOrganization',
      method: 'POST',
      path: '/api/operator/organizations',
      json: { name },
    })
    assert.equal(status, 200, JSON.stringify(body))
    return new Tenant({ ...operator, orgId: body.organization.id, apiKey: body.ownerKey.apiKey })
  }

  /** Creates a sandbox and returns its id when it runs. */
  async createSandbox(): Promise<string> {
    const made = await this.calls.ask({
      what: 'createSandbox',
      method: 'POST',
      path: '~/sandboxes',
      json: { shapeName: 'small' },
    })
    assert.equal(made.status, 200, JSON.stringify(made.body))
    const id: string = made.body.id
    await waitFor(async () => {
      const { body } = await this.calls.ask({
        what: 'getSandboxStatus',
        method: 'GET',
        path: `~/sandboxes/${id}/status`,
      })
      assert.notEqual(body?.status, 'ERROR', JSON.stringify(body))
      return body?.status === 'RUNNING'
    })
    return id
  }

  async deleteSandbox(id: string): Promise<void> {
    const { status, body } = await this.calls.ask({
      what: 'deleteSandbox',
      method: 'DELETE',
      path: `~/sandboxes/${id}`,
    })
    assert.equal(status, 200, JSON.stringify(body))
  }

  write(id: string, path: string, bytes: Buffer): Promise<Answer> {
    return this.calls.ask({
      what: 'writeFile',
      method: 'PUT',
      path: `~/sandboxes/${id}/files/content?path=${encodeURIComponent(path)}`,
      bytes,
      headers: { 'content-type': 'application/octet-stream' },
    })
  }

  run(id: string, script: string): Promise<Answer> {
    return this.calls.ask({
      what: 'execSandboxProcess',
      method: 'POST',
      path: `~/sandboxes/${id}/process`,
      json: { executable: 'sh', args: ['-c', script] },
    })
  }
}

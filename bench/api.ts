import { besideBare } from './beside-bare.ts'

/** Responses with data from the database. */
export default () =>
  besideBare(orgId => [
    { name: 'GET stats', path: `/api/orgs/${orgId}/stats` },
    { name: 'GET projects', path: `/api/orgs/${orgId}/projects` },
  ])

import type { ErrorDefinition } from './definition.ts'

/** Errors of organizations, and of what they and the operator manage. */
export const organizationErrors = {
  'organization.NOT_FOUND': {
    status: 404,
    message: 'This organization does not exist.',
    hint: 'Check the organization id.',
  },
  'organization.NOT_EMPTY': {
    status: 409,
    message: 'The organization still has sandboxes.',
    hint: 'Delete its sandboxes first.',
  },
  'plan.NOT_FOUND': {
    status: 404,
    message: 'This plan does not exist.',
    hint: 'Call listPlans to see the available plans.',
  },
  'plan.EXISTS': {
    status: 409,
    message: 'A plan with this name already exists.',
    hint: 'Choose a different name, or update the existing plan.',
  },
  'plan.IN_USE': {
    status: 409,
    message: 'The plan is in use by at least one organization.',
    hint: 'Move those organizations to another plan first.',
  },
  'project.NOT_FOUND': {
    status: 404,
    message: 'This project does not exist.',
    hint: 'Call listProjects to see the projects of the organization.',
  },
  'project.DEFAULT': {
    status: 409,
    message: 'The default project cannot be deleted.',
    hint: 'Choose a different project.',
  },
  'project.NOT_EMPTY': {
    status: 409,
    message: 'The project still has sandboxes or MCP servers.',
    hint: 'Delete them first.',
  },
  'project.TOO_MANY': {
    status: 409,
    message: 'The organization has reached its maximum number of projects.',
    hint: 'Delete a project first.',
  },
  'apiKey.NOT_FOUND': {
    status: 404,
    message: 'This API key does not exist.',
    hint: 'Call listApiKeys to see the keys of the organization.',
  },
  'apiKey.ROLE_TOO_HIGH': {
    status: 403,
    message: "The role of the key is higher than the caller's own role.",
    hint: 'Choose a lower role, or use a credential with a higher one.',
  },
  'apiKey.TOO_MANY': {
    status: 409,
    message: 'The organization has reached its maximum number of API keys.',
    hint: 'Revoke a key first.',
  },
  'trialToken.NOT_FOUND': {
    status: 404,
    message: 'This trial token does not exist.',
    hint: 'Call listTrialTokens to see the tokens of the organization.',
  },
  'trialToken.TOO_MANY': {
    status: 409,
    message: 'The organization has reached its maximum number of trial tokens.',
    hint: 'Revoke a token first.',
  },
  'shape.NOT_FOUND': {
    status: 400,
    message: 'This shape does not exist.',
    hint: 'Call listShapes to see the available shapes.',
  },
  'shape.PLAN_TOO_LOW': {
    status: 403,
    message: "The organization's plan does not include this shape.",
    hint: 'Choose another shape, or ask the operator for a higher plan.',
  },
} as const satisfies Readonly<Record<string, ErrorDefinition>>

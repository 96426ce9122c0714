import type { OpenaiSafetyCheck } from './openai-shapes.ts'

/** The model's API asks for a confirmation, and the caller has not given it. Nothing of the call was done. */
export class SafetyCheckError extends Error {
  override readonly name = 'SafetyCheckError'
  readonly checks: readonly OpenaiSafetyCheck[]

  constructor(checks: readonly OpenaiSafetyCheck[]) {
    const reasons = checks.map(({ code, message, id }) => message ?? code ?? id)
    super(
      `The model's API asks for a confirmation: ${reasons.join(' ')} Ask a person, and return true from \`acknowledge\` if they agree.`,
    )
    this.checks = checks
  }
}

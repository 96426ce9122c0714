/** A tool as the Responses API takes it. */
export type OpenaiToolDefinition =
  | { type: 'computer' }
  | { type: 'computer_use_preview'; display_width: number; display_height: number; environment: 'linux' }
  | {
      type: 'function'
      name: string
      description: string
      parameters: Record<string, unknown>
      strict: false
    }

/** Something that has to be confirmed before the actions of a call may be performed. */
export interface OpenaiSafetyCheck {
  id: string
  code?: string | null
  message?: string | null
}

/** An item of a response. Only calls of computer tools and functions are looked at. */
export interface OpenaiOutputItem {
  readonly type: string
  readonly call_id?: string | null
  readonly name?: string
  readonly arguments?: unknown
  readonly action?: unknown
  readonly actions?: unknown
  readonly pending_safety_checks?: readonly OpenaiSafetyCheck[]
}

/** What calls are answered with: items for `input`. */
export type OpenaiInputItem =
  | {
      type: 'computer_call_output'
      call_id: string
      output: { type: 'computer_screenshot'; image_url: string }
      acknowledged_safety_checks?: OpenaiSafetyCheck[]
    }
  | {
      type: 'function_call_output'
      call_id: string
      output: (
        | { type: 'input_text'; text: string }
        | { type: 'input_image'; image_url: string; detail: 'auto' }
      )[]
    }
  | { type: 'message'; role: 'user'; content: { type: 'input_text'; text: string }[] }

import { describeOperation } from './endpoints.ts'
import { IF_NONE_MATCH } from './fields.ts'
import { describeLastingPage, PAGE_LANGUAGE_PARAMETERS } from './pages.ts'

export const SHOW_APP = describeOperation('showApp', {
  tags: ['documentation'],
  parameters: [...PAGE_LANGUAGE_PARAMETERS, IF_NONE_MATCH],
  responses: describeLastingPage('The page'),
})

import { IF_NONE_MATCH } from './fields.ts'
import {
  describeLastingPage,
  describeLastingText,
  describeNotFound,
  PAGE_LANGUAGE_PARAMETERS,
} from './pages.ts'

export const APP_PAGE = {
  showApp: {
    description:
      'Proves an address, pays, and shows excuses. Works with nothing but the operations described here.',
    parameters: [...PAGE_LANGUAGE_PARAMETERS, IF_NONE_MATCH],
    responses: describeLastingPage('The page', { mayBeIndexed: true }),
  },
  readRobots: {
    description:
      'Says which paths are of no use to search engines, and where the sitemap is (RFC 9309). It forbids no page that says `noindex` itself: a crawler that may not read a page does not see that.',
    parameters: [IF_NONE_MATCH],
    responses: describeLastingText({
      description: 'The rules',
      content: {
        'text/plain': {
          schema: { type: 'string', pattern: '^User-agent: ' },
          example: 'User-agent: *\nDisallow: /payment/\n',
        },
      },
    }),
  },
  readSitemap: {
    description:
      'Names the addresses of `/app`, one for each language (sitemaps.org). Where the setting `INDEXING` is off there is none.',
    parameters: [IF_NONE_MATCH],
    responses: {
      // Where search engines may not list the page.
      ...describeNotFound(),
      ...describeLastingText({
        description: 'The sitemap (sitemaps.org)',
        content: {
          'text/xml': {
            schema: { type: 'string', pattern: '^<\\?xml ' },
            example: '<?xml version="1.0" encoding="UTF-8"?>\n<urlset>…</urlset>\n',
          },
        },
      }),
    },
  },
}

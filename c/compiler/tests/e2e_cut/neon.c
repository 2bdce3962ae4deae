/* Gets a URL a number of times by neon, and looks at nothing but the status. */
#include <stdio.h>
#include <stdlib.h>

#include "ne_request.h"
#include "ne_session.h"
#include "ne_socket.h"
#include "ne_uri.h"

int main(int argc, char **argv) {
    ne_uri uri = {0};
    int good = 0;
    if (argc != 3 || ne_uri_parse(argv[1], &uri) != 0 || ne_sock_init() != 0)
        return 2;
    ne_session *session = ne_session_create(uri.scheme, uri.host, uri.port);
    for (int left = atoi(argv[2]); left > 0; left--) {
        ne_request *request = ne_request_create(session, "GET", uri.path);
        if (ne_request_dispatch(request) == NE_OK && ne_get_status(request)->code == 200)
            good++;
        ne_request_destroy(request);
    }
    ne_session_destroy(session);
    printf("%d\n", good);
    return good != atoi(argv[2]);
}

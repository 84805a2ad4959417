/// Retries of requests, and streams that resume after a lost connection.
@NullMarked
package dev.pvcpopulators.http.retry;

import org.jspecify.annotations.NullMarked;

/// Retries of requests, and bodies that resume after a lost connection.
@NullMarked
package dev.pvcpopulators.http.retry;

import org.jspecify.annotations.NullMarked;

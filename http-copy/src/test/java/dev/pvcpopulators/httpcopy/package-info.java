/// Tests the service with servers that send wrong data, close connections early, or redirect
/// requests.
@NullMarked
package dev.pvcpopulators.httpcopy;

import org.jspecify.annotations.NullMarked;

/// Tests of the services' pages in a real browser.
@NullMarked
package dev.pvcpopulators.it;

import org.jspecify.annotations.NullMarked;

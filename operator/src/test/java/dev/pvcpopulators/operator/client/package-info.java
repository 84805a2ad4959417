@NullMarked
package dev.pvcpopulators.operator.client;

import org.jspecify.annotations.NullMarked;

/// Pulls images, resumes interrupted pulls, keeps images in a cache, and makes images readable
/// while they arrive.
@NullMarked
package dev.pvcpopulators.registrystreamiscsi.image;

import org.jspecify.annotations.NullMarked;

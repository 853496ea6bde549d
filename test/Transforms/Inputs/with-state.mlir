amp.state @best : f32 = 0.0
